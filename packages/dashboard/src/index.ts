/** The page is built by `vite build`; nothing of it is imported by others. */
export {}
