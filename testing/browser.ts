/**
 * Starts the browser for the browser tests: the program that SVC_TEST_BROWSER names or, on x64 Linux, Chromium from npm
 * (`@sparticuz/chromium`, with libraries that a minimal Debian lacks), unpacked once into `.cache/browser`.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'

const root = join(import.meta.dirname, '..')

/**
 * The command line arguments of Chromium. The arguments that the npm package recommends are not used: they make all
 * pages run in one process, which ends when the first page is closed.
 */
const args = [
  '--no-sandbox',
  '--disable-dev-shm-usage',
  '--disable-gpu',
  '--font-render-hinting=none',
  // The pages of the tests are soon closed. Without optimizing compilers the browser takes a tenth less processor time.
  '--js-flags=--no-maglev --no-turbofan',
]

/**
 * Options of all browser contexts. Without a locale, pages on a machine without one would get "C", for which `Intl`
 * throws.
 */
export const contextOptions = { locale: 'en-US', timezoneId: 'UTC' } as const

export async function launchBrowser(): Promise<Browser> {
  const own = process.env.SVC_TEST_BROWSER
  if (own) return await chromium.launch({ executablePath: own, args })
  if (process.platform !== 'linux' || process.arch !== 'x64')
    throw new Error('The browser tests need SVC_TEST_BROWSER here: the path of a Chromium or Chrome.')
  const place = await unpackBrowser()
  return await chromium.launch({ executablePath: join(place, 'chromium'), args, env: environmentIn(place) })
}

function environmentIn(place: string): Record<string, string> {
  const kept = Object.entries(process.env).filter((pair): pair is [string, string] => pair[1] !== undefined)
  const libraries = [join(place, 'al2023/lib'), process.env.LD_LIBRARY_PATH].filter(Boolean).join(delimiter)
  return { ...Object.fromEntries(kept), LD_LIBRARY_PATH: libraries, FONTCONFIG_FILE: fontsOf(place) }
}

/**
 * Writes a font configuration with the font folders of the browser's package and of this machine. It is written at each
 * start of the browser, since the checkout may have been moved.
 */
function fontsOf(place: string): string {
  const file = join(place, `fonts.${process.pid}.conf`)
  const folders = [join(place, 'fonts'), '/usr/share/fonts'].map((folder) => `<dir>${folder}</dir>`)
  const text = `<?xml version="1.0"?><fontconfig>${folders.join('')}<cachedir>${join(place, 'font-cache')}</cachedir>
<alias><family>sans-serif</family><prefer><family>Open Sans</family></prefer></alias></fontconfig>\n`
  writeFileSync(file, text)
  renameSync(file, join(place, 'fonts.conf'))
  return join(place, 'fonts.conf')
}

/**
 * Unpacks the browser into a temporary folder and then renames the folder, so that a test run that is killed leaves no
 * half-unpacked browser behind.
 */
async function unpackBrowser(): Promise<string> {
  const { version } = JSON.parse(readFileSync(join(root, 'node_modules/@sparticuz/chromium/package.json'), 'utf8')) as {
    version: string
  }
  const cache = join(root, '.cache/browser')
  const place = join(cache, version)
  if (existsSync(place)) return place
  const temporary = join(cache, `${version}.${process.pid}.tmp`)
  mkdirSync(temporary, { recursive: true })
  const before = { TMPDIR: process.env.TMPDIR, AWS_LAMBDA_JS_RUNTIME: process.env.AWS_LAMBDA_JS_RUNTIME }
  try {
    // The browser's package unpacks into the folder that TMPDIR names. It unpacks its libraries only if it seems to run
    // on AWS Lambda.
    Object.assign(process.env, { TMPDIR: temporary, AWS_LAMBDA_JS_RUNTIME: 'nodejs22.x' })
    const { default: bundled } = await import('@sparticuz/chromium')
    await bundled.executablePath()
    if (!existsSync(place)) renameSync(temporary, place)
    return place
  } finally {
    for (const [name, value] of Object.entries(before)) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
    rmSync(temporary, { recursive: true, force: true })
  }
}
