/**
 * The theme. Mantine's own colours have too little contrast for WCAG AA in both schemes. The shades and the resolver in
 * this file correct this, and the browser tests check every page with axe.
 */
import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core'

/**
 * The dark greys, cooler than Mantine's. In the dark scheme, `dark.7` is the background of the page, `dark.6` that of
 * cards, and `dark.4` and `dark.5` are for lines.
 */
const dark: MantineColorsTuple = [
  '#d5d8de',
  '#b6bac4',
  '#8f95a3',
  '#5f6675',
  '#3a3f4b',
  '#2b2f39',
  '#1b1e25',
  '#131519',
  '#0e1013',
  '#090a0c',
]

const gray: MantineColorsTuple = [
  '#f7f8fa',
  '#f0f2f5',
  '#e5e8ed',
  '#d8dce3',
  '#c3c9d3',
  '#9aa2b1',
  '#737c8c',
  '#535b6a',
  '#363c48',
  '#1f242d',
]

const brand: MantineColorsTuple = [
  '#eef0fd',
  '#dadefa',
  '#b5bcf4',
  '#929cf0',
  '#7480ea',
  '#5d69e0',
  '#4f5ad6',
  '#454fc7',
  '#3b44b8',
  '#2d3590',
]

/**
 * The fonts of texts and the monospaced fonts. `system-ui` is not used: on Linux without a desktop setting for it, some
 * weights may appear in a serif font.
 */
export const fonts = {
  text: '-apple-system, "Segoe UI", Roboto, "Noto Sans", Ubuntu, Cantarell, "Helvetica Neue", Arial, sans-serif',
  mono: 'ui-monospace, "SF Mono", "Cascadia Mono", "Segoe UI Mono", "Roboto Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace',
} as const

export const theme = createTheme({
  colors: { dark, gray, brand },
  primaryColor: 'brand',
  primaryShade: { light: 8, dark: 8 },
  autoContrast: true,
  luminanceThreshold: 0.35,
  fontFamily: fonts.text,
  fontFamilyMonospace: fonts.mono,
  headings: { fontFamily: fonts.text, fontWeight: '620' },
  defaultRadius: 'sm',
  cursorType: 'pointer',
  respectReducedMotion: true,
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.125rem' },
  // These are listed by name. `Component.extend` would load the components even on pages that do not use them.
  components: {
    // Without more space between them, the words of a small badge seem to be one word.
    Badge: { defaultProps: { tt: 'none', fw: 600 }, styles: { label: { wordSpacing: '0.15em' } } },
    Anchor: { defaultProps: { underline: 'hover' } },
    Tooltip: { defaultProps: { openDelay: 250, withArrow: false, events: { hover: true, focus: true, touch: true } } },
  },
})

const hues = ['gray', 'red', 'orange', 'yellow', 'green', 'teal', 'blue', 'indigo', 'brand'] as const

/**
 * The colours of the page in the light and the dark scheme. Dimmed text, and coloured text on a tint of the same
 * colour, get enough contrast.
 */
export const cssVariablesResolver: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-body': '#ffffff',
    '--mantine-color-text': 'var(--mantine-color-gray-9)',
    '--mantine-color-dimmed': 'var(--mantine-color-gray-7)',
    '--mantine-color-placeholder': 'var(--mantine-color-gray-6)',
    '--mantine-color-disabled': 'var(--mantine-color-gray-1)',
    '--mantine-color-disabled-color': 'var(--mantine-color-dimmed)',
    '--mantine-color-error': 'var(--mantine-color-red-9)',
    // Mantine's red for entries in menus is too pale on white.
    '--mantine-color-red-6': 'var(--svc-bad)',
    '--mantine-color-anchor': 'var(--mantine-color-brand-8)',
    ...Object.fromEntries(
      hues.map((hue) => [
        `--mantine-color-${hue}-light-color`,
        `color-mix(in srgb, var(--mantine-color-${hue}-9) 72%, black)`,
      ]),
    ),
    '--svc-surface': 'var(--mantine-color-gray-0)',
    '--svc-line': 'var(--mantine-color-gray-2)',
    '--svc-hover': 'var(--mantine-color-gray-1)',
    '--svc-ok': '#19794a',
    '--svc-info': '#2563b8',
    '--svc-warn': '#9a5b00',
    '--svc-bad': '#c42b2b',
    '--svc-offline': 'var(--mantine-color-gray-7)',
  },
  dark: {
    '--mantine-color-body': 'var(--mantine-color-dark-7)',
    '--mantine-color-text': 'var(--mantine-color-dark-0)',
    '--mantine-color-dimmed': '#a4aab6',
    '--mantine-color-placeholder': 'var(--mantine-color-dark-2)',
    // A disabled button must differ from the card that it is on, whose background is `dark.6`.
    '--mantine-color-disabled': 'var(--mantine-color-dark-5)',
    '--mantine-color-disabled-color': 'var(--mantine-color-dimmed)',
    '--mantine-color-error': 'var(--mantine-color-red-4)',
    '--mantine-color-anchor': 'var(--mantine-color-brand-3)',
    ...Object.fromEntries(hues.map((hue) => [`--mantine-color-${hue}-light-color`, `var(--mantine-color-${hue}-2)`])),
    '--svc-surface': 'var(--mantine-color-dark-6)',
    '--svc-line': 'var(--mantine-color-dark-5)',
    '--svc-hover': '#20232b',
    '--svc-ok': '#4cc38a',
    '--svc-info': '#74a9f5',
    '--svc-warn': '#e5a13a',
    '--svc-bad': '#ff7b72',
    '--svc-offline': '#a4aab6',
  },
})
