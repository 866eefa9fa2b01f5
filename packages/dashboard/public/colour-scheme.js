// Sets the colour scheme before the first paint. A file of its own, so that no inline script needs to be allowed.
;(() => {
  let chosen = null
  try {
    chosen = localStorage.getItem('svc-colour-scheme')
  } catch {
    // Storage may be forbidden; the system's scheme is then the one.
  }
  const dark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light')
})()
