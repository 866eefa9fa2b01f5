import { expect, test } from 'vitest'
import { mailOf } from './mail.ts'

const baseUrl = 'https://svc.example.org:8443'
const settingsUrl = `${baseUrl}/account`
const mail = (title: string, ...lines: string[]) =>
  mailOf({ id: 'd1', text: { title, lines, url: `${baseUrl}/w/north/agents/a`, level: 'bad' }, baseUrl, settingsUrl })

test('a mail says what a chat says, as text and as HTML, with a link to the page and one to the settings', () => {
  const { subject, text, html } = mail('mail-triage has been offline for 10 minutes', 'Workspace north.')
  expect(subject).toBe('mail-triage has been offline for 10 minutes')
  for (const form of [text, html]) {
    for (const part of [subject, 'Workspace north.', `${baseUrl}/w/north/agents/a`, settingsUrl])
      expect(form).toContain(part)
  }
})

test('a mail says that a machine wrote it, and has the id of its delivery', () => {
  expect(mail('x').messageId).toBe('<d1@svc.example.org>')
  expect(mail('x').headers).toEqual({
    'Auto-Submitted': 'auto-generated',
    'List-Unsubscribe': `<${settingsUrl}>`,
  })
})

test('text from an agent becomes neither markup nor a header', () => {
  const hostile = '<img src=x onerror=alert(1)> "a" & \'b\'\r\nBcc: all@example.org'
  const { subject, html } = mail(hostile, hostile)
  expect(subject).not.toMatch(/[\r\n]/)
  expect(html).not.toContain('<img')
  expect(html).toContain('&lt;img src=x onerror=alert(1)&gt; &quot;a&quot; &amp; &#39;b&#39; Bcc: all@example.org')
  expect(mail('t'.repeat(1000)).subject).toHaveLength(200)
})
