/**
 * Builds the page: `vite build` writes it to `dist/`, which the service serves. `npm run dev` (scripts/dev.ts) serves
 * it from its sources.
 */
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { containedIn, noticesOf } from '../../scripts/build/notices.ts'

const uploading = /dropzone|file-selector|attr-accept|pages\/blueprints/
/** Modules that the page of alerts and that of an agent share. The list of agents does not need them. */
const tabbed = /components\/(Tabs|ActionIcon)\//
const aboutAlerts = /src\/alerts\/(Acknowledge|AlertItem|Mute|useAlertChange|alerts\.css)/

/**
 * True if a module is part of the built page. A style sheet leaves no code there, so it counts if any part of the page
 * imports it.
 */
const isContained = ([id, { renderedLength }]: [string, { renderedLength: number }]): boolean =>
  renderedLength > 0 || /\.css$/.test(id)

/** Writes `/notices.txt`: the libraries that the page contains, with their licences. */
const notices: Plugin = {
  name: 'notices',
  apply: 'build',
  generateBundle(_options, bundle) {
    const files = Object.values(bundle).flatMap((output) =>
      output.type === 'chunk' ? Object.entries(output.modules).filter(isContained) : [],
    )
    const source = noticesOf('This page', containedIn(files.map(([id]) => id.replace(/\?.*$/, ''))))
    this.emitFile({ type: 'asset', fileName: 'notices.txt', source })
  },
}

/** Modules that other pages share. Neither the list of agents nor the page of an agent needs them. */
const otherPages = /pages\/(install\/|alerts\/|updates\/(UpdatesPage|Bar|parts\/NewSecrets)|SignInPage|AccountForm)/

const isCommon = (id: string): boolean => ![uploading, tabbed, aboutAlerts, otherPages].some((apart) => apart.test(id))

export default defineConfig({
  plugins: [react(), notices],
  build: {
    target: 'es2022',
    // Files are never inlined as data: URLs, so that the content security policy can forbid these.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // Modules of the package with the contract have no side effects, so those that the page does not call are left
      // out.
      treeshake: { moduleSideEffects: (id: string) => !/packages\/protocol\//.test(id) },
      // By itself the bundler makes a hundred small files, of which a page loads sixty, six at a time. Here one file
      // has the code that every page needs first, and another the code that two or more pages share. The code for
      // dropping zips, for tabs and about alerts is separate.
      output: {
        codeSplitting: {
          groups: [
            { name: 'base', tags: ['$initial'], priority: 2 },
            { name: 'common', minShareCount: 2, test: isCommon, priority: 1 },
            { name: 'tabs', minShareCount: 2, test: tabbed, priority: 0 },
            { name: 'alerts', minShareCount: 2, test: aboutAlerts, priority: 0 },
          ],
        },
      },
    },
  },
})
