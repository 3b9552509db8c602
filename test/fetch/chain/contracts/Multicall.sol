// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

/// What Multicall3 offers, as far as Soprano calls it: https://www.multicall3.com
contract Multicall {
    struct Call {
        address target;
        bytes callData;
    }

    struct Result {
        bool success;
        bytes returnData;
    }

    function tryAggregate(bool requireSuccess, Call[] calldata calls) external returns (Result[] memory results) {
        results = new Result[](calls.length);
        for (uint256 i = 0; i < calls.length; i++) {
            (bool success, bytes memory returnData) = calls[i].target.call(calls[i].callData);
            require(success || !requireSuccess);
            results[i] = Result(success, returnData);
        }
    }
}
