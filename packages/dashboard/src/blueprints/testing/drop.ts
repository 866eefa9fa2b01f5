import type { Page } from 'playwright-core'

/** Drops a file on the upload area of the page, as a person does who drags a file from the desktop into the browser. */
export async function dropFile(page: Page, name: string, bytes: Buffer, type = 'application/zip'): Promise<void> {
  await page.getByText('Drop a blueprint’s zip here').waitFor()
  const data = await page.evaluateHandle(
    ([base64, file, mime]) => {
      const transfer = new DataTransfer()
      const content = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))
      transfer.items.add(new File([content], file, { type: mime }))
      return transfer
    },
    [bytes.toString('base64'), name, type] as const,
  )
  await page.locator('.bp-drop').dispatchEvent('drop', { dataTransfer: data })
}
