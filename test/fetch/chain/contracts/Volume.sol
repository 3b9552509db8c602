// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

/// Many logs in little time. Mint i gives i % 1000 + 1 units to an address of its own, from which i can be read again:
/// balances follow from the number of mints alone, and take no storage.
contract Volume {
    string public constant name = "Volume";
    string public constant symbol = "VOL";
    uint8 public constant decimals = 0;
    uint256 public count;

    event Transfer(address indexed from, address indexed to, uint256 value);

    function emitMints(uint256 mints) external {
        uint256 first = count;
        count = first + mints;
        bytes32 topic = Transfer.selector;
        assembly {
            for { let i := first } lt(i, add(first, mints)) { i := add(i, 1) } {
                mstore(0, i)
                let to := or(shl(64, shr(160, keccak256(0, 32))), i)
                mstore(0, add(mod(i, 1000), 1))
                log3(0, 32, topic, 0, to)
            }
        }
    }

    /// The receiver of mint i: 12 bytes of a hash of i, then i in 8 bytes.
    function receiver(uint256 i) public pure returns (address) {
        return address(uint160(((uint256(keccak256(abi.encode(i))) >> 160) << 64) | i));
    }

    function totalSupply() external view returns (uint256) {
        uint256 rest = count % 1000;
        return (count / 1000) * 500500 + (rest * (rest + 1)) / 2;
    }

    function balanceOf(address owner) external view returns (uint256) {
        uint256 i = uint64(uint160(owner));
        return i < count && owner == receiver(i) ? (i % 1000) + 1 : 0;
    }
}
