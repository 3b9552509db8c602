/** AssemblyScript's types, for the files that the kernels share with TypeScript. */
declare type i32 = number;
declare type u32 = number;
declare type bool = boolean;
