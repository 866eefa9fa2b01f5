// Sets the page's colour scheme before the first paint. This script is a separate file, so that the page need not allow
// inline scripts.
;(() => {
  let chosen = null
  try {
    chosen = localStorage.getItem('svc-colour-scheme')
  } catch {
    // If the browser forbids storage, the system's colour scheme is used.
  }
  const dark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light')
})()
