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

    function uniswapV3MintCallback(uint256 amount0, uint256 amount1, bytes calldata) public {
        IToken(IPool(msg.sender).token0()).mint(msg.sender, amount0);
        IToken(IPool(msg.sender).token1()).mint(msg.sender, amount1);
    }

    function uniswapV3SwapCallback(int256 amount0, int256 amount1, bytes calldata) public {
        if (amount0 > 0) IToken(IPool(msg.sender).token0()).mint(msg.sender, uint256(amount0));
        if (amount1 > 0) IToken(IPool(msg.sender).token1()).mint(msg.sender, uint256(amount1));
    }

    function pancakeV3MintCallback(uint256 amount0, uint256 amount1, bytes calldata data) external {
        uniswapV3MintCallback(amount0, amount1, data);
    }

    function pancakeV3SwapCallback(int256 amount0, int256 amount1, bytes calldata data) external {
        uniswapV3SwapCallback(amount0, amount1, data);
    }
}

/// Deploys pools of PancakeSwap v3, which ask it for their parameters.
contract PancakeDeployer {
    struct Parameters {
        address factory;
        address token0;
        address token1;
        uint24 fee;
        int24 tickSpacing;
    }

    Parameters public parameters;
    address public pool;

    function deploy(bytes memory creation, address token0, address token1, uint24 fee, int24 tickSpacing) external {
        parameters = Parameters(address(this), token0, token1, fee, tickSpacing);
        address made;
        assembly {
            made := create(0, add(creation, 32), mload(creation))
        }
        require(made != address(0), "not created");
        pool = made;
    }
}

/// The events and getters of Aerodrome's pools, after its Pool.sol: reserves that anybody may set.
contract AerodromePool {
    address public token0;
    address public token1;
    bool public stable;
    uint256 public reserve0;
    uint256 public reserve1;
    uint256 public blockTimestampLast;
    uint256 public reserve0CumulativeLast;
    uint256 public reserve1CumulativeLast;

    event Sync(uint256 reserve0, uint256 reserve1);

    constructor(address token0_, address token1_, bool stable_) {
        (token0, token1, stable) = (token0_, token1_, stable_);
    }

    function getReserves() external view returns (uint256, uint256, uint256) {
        return (reserve0, reserve1, blockTimestampLast);
    }

    function set(uint256 balance0, uint256 balance1) external {
        uint256 elapsed = block.timestamp - blockTimestampLast;
        if (elapsed > 0 && reserve0 != 0 && reserve1 != 0) {
            reserve0CumulativeLast += reserve0 * elapsed;
            reserve1CumulativeLast += reserve1 * elapsed;
        }
        (reserve0, reserve1, blockTimestampLast) = (balance0, balance1, block.timestamp);
        emit Sync(balance0, balance1);
    }
}

/// The events and getters of Aerodrome Slipstream's pools, after its CLPool.sol: a price that anybody may set.
contract SlipstreamPool {
    struct Observation {
        uint32 blockTimestamp;
        int56 tickCumulative;
        uint160 secondsPerLiquidityCumulativeX128;
        bool initialized;
    }

    struct Slot0 {
        uint160 sqrtPriceX96;
        int24 tick;
        uint16 observationIndex;
        uint16 observationCardinality;
        uint16 observationCardinalityNext;
        bool unlocked;
    }

    address public token0;
    address public token1;
    int24 public constant tickSpacing = 100;
    Slot0 public slot0;
    uint128 public liquidity;
    Observation[1] public observations;

    event Initialize(uint160 sqrtPriceX96, int24 tick);
    event Mint(address sender, address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1);
    event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick);

    constructor(address token0_, address token1_) {
        (token0, token1) = (token0_, token1_);
    }

    function initialize(uint160 sqrtPriceX96, int24 tick) external {
        slot0 = Slot0(sqrtPriceX96, tick, 0, 1, 1, true);
        observations[0] = Observation(uint32(block.timestamp), 0, 0, true);
        emit Initialize(sqrtPriceX96, tick);
    }

    function observe() internal {
        Observation storage last = observations[0];
        uint32 delta = uint32(block.timestamp) - last.blockTimestamp;
        if (delta == 0) return;
        last.tickCumulative += int56(slot0.tick) * int56(uint56(delta));
        last.secondsPerLiquidityCumulativeX128 += (uint160(delta) << 128) / (liquidity > 0 ? liquidity : 1);
        last.blockTimestamp = uint32(block.timestamp);
    }

    function add(int24 lower, int24 upper, uint128 amount) external {
        if (lower <= slot0.tick && slot0.tick < upper) {
            observe();
            liquidity += amount;
        }
        emit Mint(msg.sender, msg.sender, lower, upper, amount, 1, 1);
    }

    /// Moves the price to another tick.
    function move(uint160 sqrtPriceX96, int24 tick) external {
        require(tick != slot0.tick, "the same tick");
        observe();
        (slot0.sqrtPriceX96, slot0.tick) = (sqrtPriceX96, tick);
        emit Swap(msg.sender, msg.sender, 1, -1, sqrtPriceX96, liquidity, tick);
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
