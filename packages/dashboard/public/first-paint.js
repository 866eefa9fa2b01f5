// Sets what the first paint depends on: the colour scheme, and whether index.html shows the frame of a workspace or that
// of the door. Says so if the scripts of the page cannot be loaded. This script is a separate file, so that the page need
// not allow inline scripts.
;(() => {
  const stored = (key) => {
    try {
      return localStorage.getItem(key)
    } catch {
      return null // The browser forbids storage.
    }
  }
  const page = document.documentElement
  const chosen = stored('svc-colour-scheme')
  const dark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  page.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light')
  // The home page leads a signed-in person on to a workspace, and My account has the frame of one. Only the frame at the
  // last visit tells who that may be.
  const { pathname } = location
  const maybe = pathname === '/' || pathname === '/account'
  const inWorkspace = pathname.startsWith('/w/') || (maybe && stored('svc-frame') === 'workspace')
  page.setAttribute('data-frame', inWorkspace ? 'workspace' : 'door')
  const sayMissing = () => {
    const words = document.createElement('p')
    words.textContent =
      'The files of this page could not be loaded. Reload it. If that does not help, the service is starting, or its installation is not whole.'
    const again = document.createElement('button')
    again.textContent = 'Reload'
    again.addEventListener('click', () => location.reload())
    const note = document.createElement('main')
    note.className = 'svc-missing'
    note.setAttribute('role', 'alert')
    note.append(words, again)
    document.getElementById('root').replaceChildren(note)
  }
  addEventListener(
    'error',
    ({ target }) => {
      if (!(target instanceof HTMLScriptElement)) return
      if (document.getElementById('root')) sayMissing()
      else addEventListener('DOMContentLoaded', sayMissing)
    },
    true,
  )
})()
