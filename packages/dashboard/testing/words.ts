import type { Page } from 'playwright-core'

/** A duration as the page writes it: with no-break spaces. */
export const unbroken = (words: string): string => words.replaceAll(' ', '\u00a0')

/**
 * Returns the places of a page at which two words become one when the text is copied or read aloud: the ends of two
 * elements in the same line with no space between them. A margin between them is no space. Cells and the items of a row
 * or grid are apart.
 */
export const joinedWords = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const displayOf = (e: Element) => getComputedStyle(e).display
    /** True if a box between the common ancestor and the text puts the text on its own. */
    const isApart = (text: Text, ancestor: Element) => {
      const path: Element[] = []
      for (let e = text.parentElement; e && e !== ancestor; e = e.parentElement) path.unshift(e)
      const [first] = path
      if (first && /flex|grid/.test(displayOf(ancestor))) return true
      for (const e of path) {
        if (e.matches('td, th, [role=cell], [role=gridcell], button, [role=tab], option')) return true
        const display = displayOf(e)
        if (/^inline-/.test(display)) return false
        if (display !== 'inline' && display !== 'contents') return true
      }
      return false
    }
    const commonOf = (a: Text, b: Text) => {
      let e = a.parentElement as Element
      while (!e.contains(b)) e = e.parentElement as Element
      return e
    }
    const joined: string[] = []
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    let before: Text | undefined
    while (walker.nextNode()) {
      const text = walker.currentNode as Text
      const parent = text.parentElement
      if (text.data === '' || !parent?.checkVisibility() || parent.closest('script, style, svg, pre, .svc-hidden'))
        continue
      if (
        before &&
        before.parentElement !== parent &&
        /[\p{L}\p{N}.,:)]$/u.test(before.data) &&
        /^[\p{L}\p{N}(]/u.test(text.data)
      ) {
        const common = commonOf(before, text)
        if (!isApart(before, common) && !isApart(text, common))
          joined.push(`${before.data.slice(-30)}|${text.data.slice(0, 30)}`)
      }
      before = text
    }
    return joined
  })
