/** Tests that the colours of levels can be read on every background of the page, also under the pointer. */
import { DEFAULT_THEME, mergeMantineTheme } from '@mantine/core'
import { expect, test } from 'vitest'
import { cssVariablesResolver, theme } from './theme.ts'

const whole = mergeMantineTheme(DEFAULT_THEME, theme)
const schemes = cssVariablesResolver(whole)

/** Red, green and blue from 0 to 255. */
type Rgb = readonly number[]

function colour(scheme: 'light' | 'dark', name: string): Rgb {
  const value = (schemes[scheme] as Record<string, string>)[name] ?? ''
  const shade = /--mantine-color-(\w+)-(\d)/.exec(value)
  const hex = shade ? (whole.colors[shade[1] ?? '']?.[Number(shade[2])] ?? '') : value
  return [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16))
}

/** The contrast of WCAG 2: from 1 to 21. */
function contrast(a: Rgb, b: Rgb): number {
  const [dark, light] = [a, b].map(luminance).sort((x, y) => x - y)
  return ((light ?? 0) + 0.05) / ((dark ?? 0) + 0.05)
}
function luminance(rgb: Rgb): number {
  const [r, g, b] = rgb.map((v) => (v / 255 <= 0.03928 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4))
  return 0.2126 * (r ?? 0) + 0.7152 * (g ?? 0) + 0.0722 * (b ?? 0)
}

/** The background of a chosen row: 12% of a shade of the brand over that of the page. */
function chosen(scheme: 'light' | 'dark'): Rgb {
  const brand = whole.colors.brand?.[5] ?? ''
  return colour(scheme, '--mantine-color-body').map(
    (v, i) => 0.88 * v + 0.12 * Number.parseInt(brand.slice(1 + 2 * i, 3 + 2 * i), 16),
  )
}

const texts = ['--mantine-color-dimmed', '--svc-ok', '--svc-info', '--svc-warn', '--svc-bad', '--svc-offline']
const backgrounds = ['--mantine-color-body', '--svc-surface', '--svc-hover', 'chosen']
const onDisabled = ['--mantine-color-dimmed', '--mantine-color-disabled'] as const

test.each(
  (['light', 'dark'] as const).flatMap((scheme) =>
    [...texts.flatMap((text) => backgrounds.map((on) => [text, on] as const)), onDisabled].map(
      ([text, on]) => [scheme, text, on] as const,
    ),
  ),
)('in the %s scheme %s can be read on %s', (scheme, text, on) => {
  const background = on === 'chosen' ? chosen(scheme) : colour(scheme, on)
  expect(contrast(colour(scheme, text), background)).toBeGreaterThanOrEqual(4.5)
})
