/** This package exports nothing: `vite build` builds the page, and no other package imports from it. */
export {}
