/**
 * Starts the page. The service first says who is signed in, and this decides whether the page loads the small door or
 * everything else. Until then index.html shows the frame.
 */
import './shell/styles.ts'
import { call } from './data/api.ts'
import { takeSignedInAgain } from './data/provider.ts'
import { entryWithoutAnswer, pageToOpen } from './door/place.ts'
import { withRetries } from './door/with-retries.ts'

const asked = withRetries(() => call('GET /door')).catch((error) => {
  const assumed = entryWithoutAnswer(error, window.location.pathname)
  if (assumed) return assumed
  throw error
})
// The door and all other pages need this code, so it loads while the service answers.
const page = import('./ui/pages/Page.tsx')

async function open(): Promise<void> {
  const [{ drawPage }, door] = await Promise.all([page, asked])
  const place = pageToOpen(window.location, door)
  if (place.is === 'pages') {
    // This removes the mark of a proof through the provider from the address, before the router reads the address.
    const isBack = takeSignedInAgain()
    return (await import('./App.tsx')).openPages({ ...door, me: place.me }, drawPage, isBack)
  }
  if (place.address !== undefined) window.history.replaceState(null, '', place.address)
  const { openDoor } = await import('./door/Door.tsx')
  openDoor(door, drawPage)
}

async function showFailedPage(error: unknown): Promise<void> {
  const [{ drawPage }, door] = await Promise.all([page, import('./door/Door.tsx')])
  door.showFailedPage(error, drawPage)
}

// This call is not awaited. It loads modules that import from this file's chunk, so this file and they would wait for
// each other.
void open()
  .catch(showFailedPage)
  .catch(() =>
    document.getElementById('root')?.replaceChildren('The files of this page could not be loaded. Reload it.'),
  )
