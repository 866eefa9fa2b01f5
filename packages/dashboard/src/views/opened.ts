/** The view of each workspace that was opened last in this tab, also after the page was loaded again. */
const storedAs = 'svc-view'
const opened = new Map<string, string>()

export function noteOpened(slug: string, id: string | undefined): void {
  if (id === undefined) opened.delete(slug)
  else opened.set(slug, id)
  try {
    sessionStorage.setItem(storedAs, JSON.stringify([...opened]))
  } catch {
    // If the browser forbids storage, the note lasts until the page is closed.
  }
}

export const openedIn = (slug: string): string | undefined => opened.get(slug)

try {
  for (const [slug, id] of JSON.parse(sessionStorage.getItem(storedAs) ?? '[]') as [string, string][])
    opened.set(slug, id)
} catch {
  // No view counts as opened.
}
