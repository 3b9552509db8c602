/** The types of AssemblyScript that files shared with the kernels name. */
declare type i32 = number;
declare type u32 = number;
