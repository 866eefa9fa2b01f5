/**
 * For tests: programs that are not part of the page and run in it before its scripts, such as browser extensions, and
 * settings of browsers.
 */

/** Programs that change the nodes of a page. */
export const programs = {
  /** A translation as browsers do it: each text is replaced by two elements with other words. */
  'a translation that replaces texts': () => {
    const translate = (text: Text) => {
      if (text.parentElement?.closest('font, script, style, title, textarea') || !text.data.trim()) return
      const outer = document.createElement('font')
      const inner = outer.appendChild(document.createElement('font'))
      inner.textContent = text.data
      text.replaceWith(outer)
    }
    follow(translate)
    function follow(change: (text: Text) => void) {
      const all = (root: Node) => {
        const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
        const texts: Text[] = []
        while (walker.nextNode()) texts.push(walker.currentNode as Text)
        if (root instanceof Text) texts.push(root)
        for (const text of texts) change(text)
      }
      new MutationObserver((records) => {
        for (const { addedNodes } of records) for (const node of addedNodes) if (node.isConnected) all(node)
      }).observe(document, { childList: true, subtree: true })
    }
  },
  /** The element is put beside the text, and then the text is removed. */
  'a translation in two steps': () => {
    new MutationObserver((records) => {
      const walker = document.createTreeWalker(document.body ?? document, NodeFilter.SHOW_TEXT)
      const texts: Text[] = []
      while (records.length > 0 && walker.nextNode()) texts.push(walker.currentNode as Text)
      for (const text of texts) {
        if (text.parentElement?.closest('font, script, style, title, textarea') || !text.data.trim()) continue
        const font = document.createElement('font')
        font.textContent = text.data
        text.parentNode?.insertBefore(font, text)
        text.remove()
      }
    }).observe(document, { childList: true, subtree: true })
  },
  /** A spelling checker or a reading aid: each text is moved into an element. */
  'a reading aid that wraps texts': () => {
    new MutationObserver(() => {
      const walker = document.createTreeWalker(document.body ?? document, NodeFilter.SHOW_TEXT)
      const texts: Text[] = []
      while (walker.nextNode()) texts.push(walker.currentNode as Text)
      for (const text of texts) {
        if (text.parentElement?.closest('x-aid, script, style, title, textarea') || !text.data.trim()) continue
        const aid = document.createElement('x-aid')
        text.replaceWith(aid)
        aid.append(text)
      }
    }).observe(document, { childList: true, subtree: true })
  },
  /** A password manager or a dark mode: elements of its own beside those of the page. */
  'a password manager that adds elements': () => {
    new MutationObserver(() => {
      for (const input of document.querySelectorAll('input:not([data-aid])')) {
        input.setAttribute('data-aid', '')
        input.after(document.createElement('x-manager'))
      }
    }).observe(document, { childList: true, subtree: true })
  },
} satisfies Record<string, () => void>

/** Browsers, and their settings and extensions, that take something away or change something else than nodes. */
export const browsers = {
  'a dark mode that restyles every element': () => {
    new MutationObserver(() => {
      for (const element of document.querySelectorAll<HTMLElement>('body *:not([data-dark])')) {
        element.setAttribute('data-dark', '')
        element.style?.setProperty('--dark', 'black')
      }
      if (document.head && !document.querySelector('style.dark'))
        document.head.append(Object.assign(document.createElement('style'), { className: 'dark' }))
    }).observe(document, { childList: true, subtree: true })
  },
  'storage that is refused': () => {
    for (const name of ['localStorage', 'sessionStorage', 'indexedDB', 'caches'])
      Object.defineProperty(window, name, {
        get: () => {
          throw new DOMException('The operation is insecure.', 'SecurityError')
        },
      })
  },
  'a full storage': () => {
    Storage.prototype.setItem = () => {
      throw new DOMException('The quota has been exceeded.', 'QuotaExceededError')
    }
  },
  'no locks, channels, workers and notifications': () => {
    for (const name of ['BroadcastChannel', 'indexedDB', 'SharedWorker', 'Notification', 'PushManager'])
      Reflect.deleteProperty(window, name)
    for (const name of ['locks', 'serviceWorker', 'clipboard', 'share'])
      Reflect.deleteProperty(Navigator.prototype, name)
  },
} satisfies Record<string, () => void>
