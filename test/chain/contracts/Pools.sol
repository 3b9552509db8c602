// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

interface IToken {
    function mint(address to, uint256 value) external;
}

interface IPair {
    function token0() external view returns (address);
    function token1() external view returns (address);
    function getReserves() external view returns (uint112, uint112, uint32);
    function mint(address to) external returns (uint256);
    function swap(uint256 amount0, uint256 amount1, address to, bytes calldata data) external;
    function sync() external;
}

interface IPool {
    function token0() external view returns (address);
    function token1() external view returns (address);
    function mint(address to, int24 lower, int24 upper, uint128 liquidity, bytes calldata data)
        external
        returns (uint256, uint256);
    function burn(int24 lower, int24 upper, uint128 liquidity) external returns (uint256, uint256);
    function swap(address to, bool zeroForOne, int256 amount, uint160 priceLimit, bytes calldata data)
        external
        returns (int256, int256);
}

/// Trades with Uniswap's pools in tokens that it may mint itself, so that nobody needs to own or approve any.
contract Router {
    function addToPair(address pair, uint256 amount0, uint256 amount1) external {
        IToken(IPair(pair).token0()).mint(pair, amount0);
        IToken(IPair(pair).token1()).mint(pair, amount1);
        IPair(pair).mint(address(this));
    }

    /// Sells an amount of one of a pair's tokens; the other one goes to `to`.
    function swapPair(address pair, bool zeroForOne, uint256 amount, address to) external {
        (uint256 in_, uint256 out, ) = IPair(pair).getReserves();
        if (!zeroForOne) (in_, out) = (out, in_);
        IToken(zeroForOne ? IPair(pair).token0() : IPair(pair).token1()).mint(pair, amount);
        uint256 bought = (amount * 997 * out) / (in_ * 1000 + amount * 997);
        IPair(pair).swap(zeroForOne ? 0 : bought, zeroForOne ? bought : 0, to, "");
    }

    function addToPool(address pool, int24 lower, int24 upper, uint128 liquidity) external {
        IPool(pool).mint(address(this), lower, upper, liquidity, "");
    }

    function removeFromPool(address pool, int24 lower, int24 upper, uint128 liquidity) external {
        IPool(pool).burn(lower, upper, liquidity);
    }

    function swapPool(address pool, bool zeroForOne, int256 amount, address to) external {
        uint160 limit = zeroForOne ? 4295128740 : 1461446703485210103287273052203988822378723970341;
        IPool(pool).swap(to, zeroForOne, amount, limit, "");
    }

    function uniswapV3MintCallback(uint256 amount0, uint256 amount1, bytes calldata) external {
        IToken(IPool(msg.sender).token0()).mint(msg.sender, amount0);
        IToken(IPool(msg.sender).token1()).mint(msg.sender, amount1);
    }

    function uniswapV3SwapCallback(int256 amount0, int256 amount1, bytes calldata) external {
        if (amount0 > 0) IToken(IPool(msg.sender).token0()).mint(msg.sender, uint256(amount0));
        if (amount1 > 0) IToken(IPool(msg.sender).token1()).mint(msg.sender, uint256(amount1));
    }
}

/// The contract behind a Chainlink feed: emits its answers.
contract Aggregator {
    uint8 public immutable decimals;
    int256 public latestAnswer;
    uint256 public latestRound;
    uint256 public latestTimestamp;

    event AnswerUpdated(int256 indexed current, uint256 indexed roundId, uint256 updatedAt);

    constructor(uint8 decimals_) {
        decimals = decimals_;
    }

    function answer(int256 current) external {
        latestAnswer = current;
        latestTimestamp = block.timestamp;
        emit AnswerUpdated(current, ++latestRound, block.timestamp);
    }
}

/// A Chainlink feed: names the aggregators that have answered for it, one a phase. Emits nothing.
contract Feed {
    uint16 public phaseId;
    mapping(uint16 => address) public phaseAggregators;

    constructor(address aggregator_) {
        replace(aggregator_);
    }

    function replace(address aggregator_) public {
        phaseAggregators[++phaseId] = aggregator_;
    }

    function aggregator() public view returns (address) {
        return phaseAggregators[phaseId];
    }

    function decimals() external view returns (uint8) {
        return Aggregator(aggregator()).decimals();
    }

    function description() external pure returns (string memory) {
        return "ETH / USD";
    }

    function latestAnswer() external view returns (int256) {
        return Aggregator(aggregator()).latestAnswer();
    }

    function latestRoundData() external view returns (uint80, int256, uint256, uint256, uint80) {
        Aggregator current = Aggregator(aggregator());
        uint80 round = (uint80(phaseId) << 64) | uint80(current.latestRound());
        return (round, current.latestAnswer(), current.latestTimestamp(), current.latestTimestamp(), round);
    }
}
