/**
 * Builds the page with Vite: `vite build` writes the built page to `dist/`, which the service serves. `npm run dev`
 * (scripts/dev.ts) serves the page from its sources.
 */
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { containedIn, noticesOf } from '../../building/notices.ts'

/** Modules that only an upload needs. */
const uploading =
  /dropzone|file-selector|attr-accept|src\/blueprints\/(?!install|parts)|components\/Progress\/|IconFileZip/
/** Modules that the page of an agent and the pages of alerts or costs need, but not the list of agents. */
const tabbed = new RegExp(
  [
    /components\/(Tabs|ActionIcon|Menu|SegmentedControl|FloatingIndicator)\//,
    /src\/ui\/(charts\/|page\/PageTabs|values\/Facts)/,
    /agents\/parts\/(life|agent|tones|setting-words)\.|alerts\/parts\/words/,
  ]
    .map(({ source }) => source)
    .join('|'),
)
/** Modules for forms that the door needs at once, and other pages once somebody opens a form. */
const typing = new RegExp(
  [
    /@mantine\/form\/|node_modules\/(klona|fast-deep-equal)\//,
    /components\/PasswordInput\/|src\/ui\/forms\/(Slug|Code)Input/,
  ]
    .map(({ source }) => source)
    .join('|'),
)
/** Lines to copy. The door and pages that add or install something show them. */
const copying = /src\/ui\/values\/CopyLines|use-clipboard|IconCopy\./
/** Inputs with which a person chooses. No page needs them before somebody opens a form. */
const choosing = new RegExp(
  [
    /components\/(Combobox(?!\/ComboboxChevron)|Select|Radio(?!\/RadioIcon)|Switch|LoadingOverlay)\//,
    /components\/Textarea\/|protocol\/src\/(fields|settings)\./,
    /agents\/parts\/(SettingInput|raw)\./,
  ]
    .map(({ source }) => source)
    .join('|'),
)
const aboutAlerts = /src\/alerts\/(Acknowledge|AlertItem|mutes\/(Planned)?Mute[A-Z]|alerts\.css)/

/**
 * True if a module is part of the built page. A style sheet leaves no code in the built script, so it counts as soon as
 * any module imports it.
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

/** Modules with which the page asks the service who is signed in, and the styles of styles.ts. They load first. */
const first = new RegExp(
  [
    /index\.html|preload-helper|src\/(main|shell\/styles|data\/api|paths)\.ts|src\/door\/(place|with-retries)\.ts/,
    /src\/ui\/time\/service-time\.ts|@mantine\/(core|notifications)\/.*\.css$|src\/(ui\/(base|layout|values\/copy)|shell\/(finding\/)?\w+)\.css$/,
  ]
    .map(({ source }) => source)
    .join('|'),
)
/** The pages of the door. Signed-in people never load them. */
const door = /src\/door\/|protocol\/src\/email|forms\/(NewPasswordInput|rules)/

/** Modules that several other pages share. Neither the list of agents nor the page of an agent needs them. */
const otherPages = new RegExp(
  [
    /src\/alerts\/(rules\/|history\/|(AlertsPage|DeliveriesTab|HistoryTab|alerts-page)|parts\/(props|hours|HoursFields))/,
    /src\/alerts\/(channels\/(?!browser|NotifyButtons)|mutes\/(Mutes|mute-lengths))|src\/blueprints\/install\//,
    /src\/actions\/(?!dialogs\/(?!words))|src\/members\/|src\/updates\/(UpdatesPage|RolloutBar|VersionsOverTime)/,
    /agents\/(dialogs\/(gone|paste-lines|FetchProgram|KeepRunning|names|tags|TagsField|TokenSteps|FirstReport)|parts\/Pager)|api\/src\/filter\/tags|protocol\/src\/email|forms\/(rules|local-time)/,
    /src\/fleet\/(GroupedList|map\/|groups\/(?!Arrange))|api\/src\/filter\/(selects|automaton|texts)/,
    /updates\/parts\/(NewSecrets|LastAttempt|Served|reasons|Printed|VersionBar|version-order|DoNotWait|chosen)|views\/open\.ts/,
    /overview\/(HoursForm|Bindings|Versions)|blueprints\/parts\/words|src\/ui\/(values\/ReachNote|pages\/NotThere|time\/ClockTime|values\/DownloadCsv)/,
  ]
    .map(({ source }) => source)
    .join('|'),
)

const isCommon = (id: string): boolean =>
  ![uploading, tabbed, choosing, aboutAlerts, otherPages].some((apart) => apart.test(id))

export default defineConfig({
  plugins: [react(), notices],
  build: {
    target: 'es2022',
    // The build never inlines files as `data:` URLs, so that the content security policy can forbid such URLs.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // Modules of packages/protocol have no side effects, so the build leaves out those that the page does not call.
      treeshake: { moduleSideEffects: (id: string) => !/packages\/protocol\//.test(id) },
      // The door is an entry, so that the bundler can tell which modules it needs.
      input: { index: 'index.html', page: 'src/ui/pages/Page.tsx', door: 'src/door/Door.tsx' },
      // By default the bundler would make a hundred small files, and a page would load sixty of them, six at a time.
      // So one file has the code that the door needs, apart from its pages, and another the code that two or more
      // pages share. Code for dropping zips, for forms, for lines to copy, for tabs and menus, for inputs, and for
      // alerts is in separate files.
      output: {
        codeSplitting: {
          groups: [
            { name: 'first', test: first, includeDependenciesRecursively: false, priority: 4 },
            { name: 'door', test: door, includeDependenciesRecursively: false, priority: 3 },
            { name: 'form', test: typing, includeDependenciesRecursively: false, priority: 3 },
            { name: 'copy', test: copying, includeDependenciesRecursively: false, priority: 3 },
            { name: 'base', tags: ['$initial'], priority: 2 },
            { name: 'common', minShareCount: 2, test: isCommon, priority: 1 },
            { name: 'tabs', minShareCount: 2, test: tabbed, includeDependenciesRecursively: false, priority: 0 },
            { name: 'inputs', minShareCount: 2, test: choosing, priority: 0 },
            { name: 'alerts', minShareCount: 2, test: aboutAlerts, includeDependenciesRecursively: false, priority: 0 },
          ],
        },
      },
    },
  },
})
