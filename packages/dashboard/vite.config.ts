/** The page's build: `vite build` writes `dist/`, which the service serves; `vite` serves it from source for work on it. */
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** The running service that a page served from source talks to. */
const backend = process.env.SVC_BASE_URL ?? 'http://localhost:8787'

const uploading = /dropzone|file-selector|attr-accept|pages\/blueprints/

export default defineConfig({
  plugins: [react()],
  server: {
    proxy: {
      // The service answers on its own origin only (D23) and checks where a write comes from: both headers are made its own.
      '/api': { target: backend, changeOrigin: true, headers: { origin: backend } },
      '/cli': { target: backend, changeOrigin: true },
    },
  },
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
