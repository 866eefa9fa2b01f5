/** The page is built by `vite build`. Other packages import nothing from it. */
export {}
