// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

/// What the odd tokens share. They differ in their events, which Solidity names only once a contract.
abstract contract Ledger {
    uint8 public constant decimals = 18;
    uint256 public totalSupply;
    mapping(address => uint256) internal balances;

    function balanceOf(address owner) public view virtual returns (uint256) {
        return balances[owner];
    }

    function record(address from, address to, uint256 value) internal virtual;

    function mint(address to, uint256 value) external {
        totalSupply += value;
        balances[to] += value;
        record(address(0), to, value);
    }

    function transfer(address to, uint256 value) external returns (bool) {
        balances[msg.sender] -= value;
        balances[to] += value;
        record(msg.sender, to, value);
        return true;
    }
}

/// Nothing is indexed: one topic and 96 bytes.
contract PlainEventToken is Ledger {
    string public constant name = "Plain Event";
    string public constant symbol = "PET";

    event Transfer(address from, address to, uint256 value);

    function record(address from, address to, uint256 value) internal override {
        emit Transfer(from, to, value);
    }
}

/// Two topics: which of the addresses is indexed, nobody can tell.
contract HalfIndexedToken is Ledger {
    string public constant name = "Half Indexed";
    string public constant symbol = "HIT";

    event Transfer(address indexed from, address to, uint256 value);

    function record(address from, address to, uint256 value) internal override {
        emit Transfer(from, to, value);
    }
}

/// Name and symbol are bytes32, as Maker's are.
contract Bytes32Token is Ledger {
    bytes32 public constant name = "Maker-like";
    bytes32 public constant symbol = "MKL";

    event Transfer(address indexed from, address indexed to, uint256 value);

    function record(address from, address to, uint256 value) internal override {
        emit Transfer(from, to, value);
    }
}

/// Like DappHub's: Mint and Burn come without a Transfer.
contract DsToken is Ledger {
    string public constant name = "DappHub-like";
    string public constant symbol = "DST";

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Mint(address indexed guy, uint256 wad);
    event Burn(address indexed guy, uint256 wad);

    function record(address from, address to, uint256 value) internal override {
        if (from == address(0)) emit Mint(to, value);
        else if (to == address(0)) emit Burn(from, value);
        else emit Transfer(from, to, value);
    }

    function burn(uint256 value) external {
        balances[msg.sender] -= value;
        totalSupply -= value;
        record(msg.sender, address(0), value);
    }
}

/// balanceOf fails for one address.
contract RevertingToken is Ledger {
    string public constant name = "Reverting";
    string public constant symbol = "RVT";
    address public blocked;

    event Transfer(address indexed from, address indexed to, uint256 value);

    function block_(address owner) external {
        blocked = owner;
    }

    function balanceOf(address owner) public view override returns (uint256) {
        require(owner != blocked, "blocked");
        return balances[owner];
    }

    function record(address from, address to, uint256 value) internal override {
        emit Transfer(from, to, value);
    }
}

/// Balances grow without any event.
contract RebasingToken {
    string public constant name = "Rebasing";
    string public constant symbol = "RBS";
    uint8 public constant decimals = 18;
    uint256 public totalShares;
    uint256 public percent = 100;
    mapping(address => uint256) public shares;

    event Transfer(address indexed from, address indexed to, uint256 value);

    function totalSupply() external view returns (uint256) {
        return (totalShares * percent) / 100;
    }

    function balanceOf(address owner) external view returns (uint256) {
        return (shares[owner] * percent) / 100;
    }

    function rebase(uint256 percent_) external {
        percent = percent_;
    }

    function mint(address to, uint256 value) external {
        uint256 part = (value * 100) / percent;
        totalShares += part;
        shares[to] += part;
        emit Transfer(address(0), to, value);
    }

    function transfer(address to, uint256 value) external returns (bool) {
        uint256 part = (value * 100) / percent;
        shares[msg.sender] -= part;
        shares[to] += part;
        emit Transfer(msg.sender, to, value);
        return true;
    }
}

/// Like Tether's: Issue and Redeem move the owner's balance and name nobody.
contract IssueRedeemToken {
    string public constant name = "Issue Redeem";
    string public constant symbol = "IRT";
    uint8 public constant decimals = 6;
    uint256 public totalSupply;
    address public owner;
    mapping(address => uint256) public balanceOf;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Issue(uint256 amount);
    event Redeem(uint256 amount);
    event DestroyedBlackFunds(address blackListedUser, uint256 balance);

    /// The first supply comes without an event, as Tether's did.
    constructor(uint256 supply) {
        owner = msg.sender;
        totalSupply = supply;
        balanceOf[msg.sender] = supply;
    }

    function transferOwnership(address owner_) external {
        require(msg.sender == owner);
        owner = owner_;
    }

    function issue(uint256 amount) external {
        require(msg.sender == owner);
        balanceOf[owner] += amount;
        totalSupply += amount;
        emit Issue(amount);
    }

    function redeem(uint256 amount) external {
        require(msg.sender == owner);
        totalSupply -= amount;
        balanceOf[owner] -= amount;
        emit Redeem(amount);
    }

    function destroyBlackFunds(address user) external {
        require(msg.sender == owner);
        uint256 balance = balanceOf[user];
        balanceOf[user] = 0;
        totalSupply -= balance;
        emit DestroyedBlackFunds(user, balance);
    }

    function transfer(address to, uint256 value) external {
        balanceOf[msg.sender] -= value;
        balanceOf[to] += value;
        emit Transfer(msg.sender, to, value);
    }
}

/// An ERC-721: its Transfer has four topics.
contract Collectible {
    string public constant name = "Collectible";
    string public constant symbol = "NFT";
    uint256 public totalSupply;
    mapping(uint256 => address) public ownerOf;
    mapping(address => uint256) public balanceOf;

    event Transfer(address indexed from, address indexed to, uint256 indexed id);

    function supportsInterface(bytes4 id) external pure returns (bool) {
        return id == 0x80ac58cd || id == 0x01ffc9a7;
    }

    function mint(address to, uint256 id) external {
        require(ownerOf[id] == address(0));
        ownerOf[id] = to;
        balanceOf[to]++;
        totalSupply++;
        emit Transfer(address(0), to, id);
    }

    function transferFrom(address from, address to, uint256 id) external {
        require(ownerOf[id] == from);
        ownerOf[id] = to;
        balanceOf[from]--;
        balanceOf[to]++;
        emit Transfer(from, to, id);
    }
}

/// The same, without ERC-165 to ask it.
contract QuietCollectible {
    string public constant name = "Quiet Collectible";
    string public constant symbol = "QNFT";
    mapping(address => uint256) public balanceOf;
    uint256 public totalSupply;

    event Transfer(address indexed from, address indexed to, uint256 indexed id);

    function mint(address to, uint256 id) external {
        balanceOf[to]++;
        totalSupply++;
        emit Transfer(address(0), to, id);
    }
}
