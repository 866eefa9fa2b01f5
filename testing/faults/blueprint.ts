/**
 * Faults of `packages/blueprint`: mistakes in which bundles and manifests are accepted, and in what is written to the
 * disk.
 */
import type { Fault } from './fault.ts'

const at = (file: string) => `packages/blueprint/src/${file}`

export const blueprintFaults: readonly Fault[] = [
  {
    name: 'packing: the files that macOS adds are packed',
    harm: 'Every machine gets copies of files that only the Finder of the author reads.',
    file: at('folder/gather.ts'),
    old: "  '__MACOSX/',\n",
    new: '',
    tests: [at('folder/pack.test.ts')],
  },
  {
    name: 'bundle: a symbolic link has the wrong type number',
    harm: 'A bundle brings a link to /etc/passwd into the folder of an agent.',
    file: at('zip/profile.ts'),
    old: "['is a symbolic link', (e) => typeOf(e) === 0o120000]",
    new: "['is a symbolic link', (e) => typeOf(e) === 0o140000]",
    tests: [at('bundle/hostile.test.ts')],
  },
  {
    name: 'bundle: only the lengths of the two names are compared',
    harm: 'The service shows one file name and the machine unpacks another.',
    file: at('zip/profile.ts'),
    old: '!areSameBytes(name, local.name)',
    new: 'name.length !== local.name.length',
    tests: [at('bundle/hostile.test.ts')],
  },
  {
    name: 'bundle: only the first segment of a path is looked at for ".."',
    harm: 'A bundle writes outside of the folder of its agent.',
    file: at('bundle/paths.ts'),
    old: "segments.includes('..')",
    new: "segments[0] === '..'",
    tests: [at('bundle/hostile.test.ts')],
  },
  {
    name: 'bundle: .svc is protected in lower case only',
    harm: 'Where the file system ignores case a bundle replaces the token and the journal of the runtime.',
    file: at('bundle/paths.ts'),
    old: "pathKey(segments[0] ?? '') === '.svc'",
    new: "segments[0] === '.svc'",
    tests: [at('bundle/hostile.test.ts')],
  },
  {
    name: 'bundle: names that differ in case are taken for two files',
    harm: 'On a Mac one file of the bundle silently replaces the other.',
    file: at('bundle/tree.ts'),
    old: 'listed.add(key)',
    new: 'listed.add(plain)',
    tests: [at('bundle/hostile.test.ts')],
  },
  {
    name: 'bundle: a file may unpack to more than its headers say',
    harm: 'A small bundle fills the disk of every machine that installs it.',
    file: at('zip/contents.ts'),
    old: 'if (size > entry.size) throw',
    new: 'if (size < 0) throw',
    tests: [at('bundle/hostile.test.ts')],
  },
  {
    name: 'unpacking: every file is executable, and programs are not',
    harm: 'An agent that is installed from a bundle does not start.',
    file: at('bundle/unpack.ts'),
    old: 'isExecutable(entry) ? 0o755 : 0o644',
    new: 'isExecutable(entry) ? 0o644 : 0o755',
    tests: [at('bundle/unpack.test.ts')],
  },
  {
    name: 'manifest: only the beginning of the name of a secret is looked at',
    harm: 'A secret named A=B breaks the file of secrets, and the agent does not find its password.',
    file: at('manifest/names.ts'),
    old: '/^[A-Z][A-Z0-9_]{0,99}$/',
    new: '/^[A-Z][A-Z0-9_]{0,99}/',
    tests: [at('manifest/read.test.ts')],
  },
  {
    name: 'manifest: the version of svc that a key needs counts as too old',
    harm: 'An up-to-date svc refuses every blueprint that uses a new key.',
    file: at('manifest/since.ts'),
    old: 'compareVersions(core, version) < 0',
    new: 'compareVersions(core, version) <= 0',
    tests: [at('manifest/since.test.ts')],
  },
  {
    name: 'packing: .env is no longer left out',
    harm: 'The passwords of whoever packs the blueprint are handed to everybody who installs it.',
    file: at('folder/gather.ts'),
    old: "  '.env',\n",
    new: '',
    tests: [at('folder/pack.test.ts')],
  },
]
