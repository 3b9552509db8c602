// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

import "./Odd.sol";

/// What OpenZeppelin's MintableToken and BurnableToken have in common.
abstract contract Burnable is Ledger {
    event Transfer(address indexed from, address indexed to, uint256 value);
    event Mint(address indexed to, uint256 amount);
    event Burn(address indexed burner, uint256 value);

    function burn(uint256 value) external {
        balances[msg.sender] -= value;
        totalSupply -= value;
        record(msg.sender, address(0), value);
    }
}

/// Of 1.3 to 1.5: mint fires Mint and Transfer, burn fires Burn alone.
contract ZeppelinToken is Burnable {
    string public constant name = "Zeppelin 1.3";
    string public constant symbol = "ZEP";

    function record(address from, address to, uint256 value) internal override {
        if (from == address(0)) emit Mint(to, value);
        if (to == address(0)) emit Burn(from, value);
        else emit Transfer(from, to, value);
    }
}

/// From 1.6 on: both fire a Transfer, too. The first supply comes without an event, as many did it.
contract LaterZeppelinToken is Burnable {
    string public constant name = "Zeppelin 1.6";
    string public constant symbol = "ZEL";

    constructor(uint256 supply) {
        totalSupply = supply;
        balances[msg.sender] = supply;
    }

    function record(address from, address to, uint256 value) internal override {
        if (from == address(0)) emit Mint(to, value);
        if (to == address(0)) emit Burn(from, value);
        emit Transfer(from, to, value);
    }
}

/// Each movement fires Transfer twice, as of a token and of its store.
contract TwiceToken is Ledger {
    string public constant name = "Twice";
    string public constant symbol = "TWI";

    event Transfer(address indexed from, address indexed to, uint256 value);

    function record(address from, address to, uint256 value) internal override {
        emit Transfer(from, to, value);
        emit Transfer(from, to, value);
    }
}
