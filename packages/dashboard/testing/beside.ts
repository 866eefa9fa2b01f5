/** Links that open beside the page, in the browser tests. */
import type { Page } from 'playwright-core'

/**
 * Presses a link, and returns the address that the browser would open in a new tab; null if it would not open one. No
 * tab is really opened, because Playwright sometimes gets no hold of a tab that a page has opened.
 */
export async function opensBeside(page: Page, press: () => Promise<void>): Promise<string | null> {
  await page.evaluate(() => {
    const decide = (event: MouseEvent) => {
      const link = event.target instanceof Element ? event.target.closest('a') : null
      const isBeside = !event.defaultPrevented && (event.ctrlKey || link?.target === '_blank')
      sessionStorage.setItem('beside', JSON.stringify(isBeside && link ? link.href : null))
      event.preventDefault()
    }
    window.addEventListener('click', decide, { once: true })
    const decideEarly = (event: MouseEvent) => {
      const stop = event.stopPropagation.bind(event)
      event.stopPropagation = () => {
        window.removeEventListener('click', decide)
        decide(event)
        stop()
      }
    }
    window.addEventListener('click', decideEarly, { once: true, capture: true })
  })
  await press()
  return await page.evaluate(() => JSON.parse(sessionStorage.getItem('beside') ?? 'null') as string | null)
}
