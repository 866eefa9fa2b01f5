import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { cssVariablesResolver, theme } from '../ui/theme.ts'

const css = readFileSync(join(import.meta.dirname, 'frame.css'), 'utf8')

/** The value of a variable of the theme. A colour that names a shade of the theme becomes that shade. */
function themed(scheme: 'light' | 'dark', name: string): string {
  const variables: Record<string, string> = cssVariablesResolver(theme as never)[scheme]
  const value = variables[name] ?? ''
  const [, hue = '', shade = ''] = /^var\(--mantine-color-(\w+)-(\d)\)$/.exec(value) ?? []
  return theme.colors?.[hue]?.[Number(shade)] ?? value
}

test.each(['light', 'dark'] as const)('the %s frame of index.html has the colours of the theme', (scheme) => {
  const [, rule = ''] = new RegExp(`:root\\[data-mantine-color-scheme="${scheme}"\\] \\{([^}]+)\\}`).exec(css) ?? []
  const colours = [...rule.matchAll(/(--[\w-]+): ([^;]+);/g)].map(([, name = '', value]) => [name, value])
  expect(colours).toHaveLength(4)
  expect(colours).toEqual(colours.map(([name = '']) => [name, themed(scheme, name)]))
})

test('the frame of index.html has the font of the theme', () => {
  const [, font = ''] = /--mantine-font-family:\s+([^;]+);/.exec(css) ?? []
  expect(font).toBe(theme.fontFamily)
})
