/**
 * Shows the manifest of a version to a person who decides whether to install it: command, access, secrets, settings,
 * logs and files. Sections that would be empty are left out, and the first section says so.
 */

import type { BlueprintVersion } from '@svc/api'
import { sizeText } from '@svc/protocol'
import { nameOf } from '../agents/parts/setting-words.ts'
import { count, Facts, lastingText, Section, Text } from '../ui/index.ts'
import { commandText, type Manifest, needsText, restartText, settingText } from './parts/words.ts'

export function ManifestSections({ version: { manifest, files, neededSvc } }: { version: BlueprintVersion }) {
  return (
    <>
      <Runs manifest={manifest} neededSvc={neededSvc} />
      {manifest.bindings.length > 0 && <ProductAccess manifest={manifest} />}
      {manifest.secrets.length > 0 && <Secrets manifest={manifest} />}
      {manifest.settings.length > 0 && <Settings manifest={manifest} />}
      {manifest.logs.length > 0 && <Logs manifest={manifest} />}
      <Files files={files} />
    </>
  )
}

function Runs({ manifest, neededSvc }: { manifest: Manifest; neededSvc: string | null }) {
  const { runtime, instructions, mcp, state, status, controls, health, needs = [] } = manifest
  const { bindings, secrets, settings, logs } = manifest
  const list = (paths: readonly string[]) => paths.length > 0 && paths.join(', ')
  return (
    <Section title="What it runs" flush>
      <Facts
        facts={[
          ...(runtime?.kind === 'process'
            ? ([
                ['Command', <Mono key="command">{commandText(runtime.command)}</Mono>],
                ['Working folder', runtime.workdir === '.' ? null : <Mono key="workdir">{runtime.workdir}</Mono>],
              ] as const)
            : []),
          ...(runtime?.kind === 'compose'
            ? ([['Docker Compose files', <Mono key="files">{runtime.files.join(', ')}</Mono>]] as const)
            : []),
          ['Required programs', needsText(needs, neededSvc)],
          ['Restart', runtime && restartText(runtime)],
          ['Stop timeout', runtime && lastingText(runtime.stop_seconds * 1000)],
          ['Startup timeout', lastingText(health.start_seconds * 1000)],
          ['Instructions', instructions && <Mono key="instructions">{instructions}</Mono>],
          ['Controls', list(controls.map((control) => control.replace('_', ' '))) || 'none'],
          ['Kept between versions', list(state) ? <Mono key="state">{list(state) || ''}</Mono> : 'nothing'],
          ['Status file', status && <Mono key="status">{status}</Mono>],
          ['Access', bindings.length === 0 && 'no other products'],
          ['Secrets', secrets.length === 0 && 'none'],
          ['Settings', settings.length === 0 && 'none'],
          ['Logs', logs.length === 0 && 'only logs that its reports name'],
        ]}
      />
      <p className="svc-note">
        It runs as the user who installs it, and can do on that machine whatever this user can.{' '}
        {mcp && (
          <>
            Its tool servers are listed in <Mono>{mcp}</Mono>.
          </>
        )}
      </p>
    </Section>
  )
}

const ProductAccess = ({ manifest: { bindings } }: { manifest: Manifest }) => (
  <Section title="Access" flush>
    <ul className="svc-rows">
      {bindings.map(({ product, role, scopes }) => (
        <li key={product}>
          <strong>{product}</strong> as {role}
          <div className="svc-quiet">{scopes.length > 0 ? `can: ${scopes.join(', ')}` : 'no scopes'}</div>
        </li>
      ))}
    </ul>
    <p className="svc-note">It uses a bot of this workspace there. Revoking the bot ends its access immediately.</p>
  </Section>
)

const Secrets = ({ manifest: { secrets } }: { manifest: Manifest }) => (
  <Section title="Secrets" flush>
    <ul className="svc-rows">
      {secrets.map(({ name, purpose, optional }) => (
        <li key={name}>
          <Mono>{name}</Mono> {optional && <span className="svc-quiet">optional</span>}
          <div className="svc-quiet">
            <Text>{purpose}</Text>
          </div>
        </li>
      ))}
    </ul>
    <p className="svc-note">Secrets are entered on the agent’s machine and stay there. This service never sees them.</p>
  </Section>
)

const Settings = ({ manifest: { settings } }: { manifest: Manifest }) => (
  <Section title="Settings" flush>
    <ul className="svc-rows">
      {settings.map((setting) => (
        <li key={setting.key} className="bp-setting">
          <Text>{nameOf(setting)}</Text>
          <span className="svc-quiet">
            <Text>{settingText(setting)}</Text>
          </span>
        </li>
      ))}
    </ul>
  </Section>
)

const Logs = ({ manifest: { logs } }: { manifest: Manifest }) => (
  <Section title="Logs" flush>
    <Facts facts={logs.map(({ name, path }) => [name, <Mono key={name}>{path}</Mono>] as const)} />
  </Section>
)

const Files = ({ files }: { files: BlueprintVersion['files'] }) => (
  <Section
    title="Files"
    aside={`${count(files.length, 'file')}, ${sizeText(files.reduce((sum, { size }) => sum + size, 0))}`}
    flush
  >
    <details className="bp-files">
      <summary>Contents of the zip</summary>
      <ul>
        {files.map(({ path, size, executable }) => (
          <li key={path}>
            <Mono>{path}</Mono>
            <span className="svc-quiet">
              {executable && 'executable, '}
              {sizeText(size)}
            </span>
          </li>
        ))}
      </ul>
    </details>
  </Section>
)

const Mono = ({ children }: { children: string }) => <Text mono>{children}</Text>
