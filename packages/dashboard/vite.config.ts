/** The page's build: `vite build` writes `dist/`, which the service serves. `npm run dev` (scripts/dev.ts) serves it from its sources. */
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { containedIn, noticesOf } from '../../scripts/build/notices.ts'

const uploading = /dropzone|file-selector|attr-accept|pages\/blueprints/

/** Style sheets leave no code behind, so they count wherever a part of the page imports them. */
const isContained = ([id, { renderedLength }]: [string, { renderedLength: number }]): boolean =>
  renderedLength > 0 || /\.css$/.test(id)

/** `/notices.txt`: the libraries that are contained in the page, with their licences. */
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

export default defineConfig({
  plugins: [react(), notices],
  build: {
    target: 'es2022',
    assetsInlineLimit: 0, // no data: URLs, so that the content security policy can stay narrow
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // The contract's package is pure: what the page does not call is left out.
      treeshake: { moduleSideEffects: (id: string) => !/packages\/protocol\//.test(id) },
      // Left alone, the bundler makes a hundred little files, and a page waits for sixty of them, six at a time. In one
      // file is what every page begins with, in another what two of them share; where zips are dropped stays apart.
      output: {
        codeSplitting: {
          groups: [
            { name: 'base', tags: ['$initial'], priority: 2 },
            { name: 'common', minShareCount: 2, test: (id: string) => !uploading.test(id), priority: 1 },
          ],
        },
      },
    },
  },
})
