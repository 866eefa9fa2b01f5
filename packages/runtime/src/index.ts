/** The package exports nothing: the runtime is a program, and scripts that need its code import single files. */
