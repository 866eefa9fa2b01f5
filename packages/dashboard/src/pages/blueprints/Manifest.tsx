/** The manifest for a person who decides whether to install it: what it runs, what it may reach, what it wants to know. */
import type { BlueprintVersion } from '@svc/api'
import type { ReactNode } from 'react'
import { bytes, count, Facts, Section, Text } from '../../ui/index.ts'
import { nameOf } from '../agent/parts/setting-words.ts'
import { commandText, type Manifest, needsText, restartText, settingText } from './parts/words.ts'

export function ManifestSections({ version: { manifest, files, neededSvc } }: { version: BlueprintVersion }) {
  return (
    <>
      <Runs manifest={manifest} neededSvc={neededSvc} />
      <Reach manifest={manifest} />
      <Secrets manifest={manifest} />
      <Settings manifest={manifest} />
      <Logs manifest={manifest} />
      <Files files={files} />
    </>
  )
}

function Runs({ manifest, neededSvc }: { manifest: Manifest; neededSvc: string | null }) {
  const { runtime, instructions, mcp, state, status, controls, health, needs = [] } = manifest
  const list = (paths: readonly string[]) => paths.length > 0 && paths.join(', ')
  return (
    <Section title="What it runs" flush>
      <Facts
        facts={[
          ...(runtime?.kind === 'process'
            ? ([
                ['Command', <Mono key="command">{commandText(runtime.command)}</Mono>],
                ['In the folder', runtime.workdir === '.' ? null : <Mono key="workdir">{runtime.workdir}</Mono>],
              ] as const)
            : []),
          ...(runtime?.kind === 'compose'
            ? ([['Docker Compose with', <Mono key="files">{runtime.files.join(', ')}</Mono>]] as const)
            : []),
          ['Needs on the machine', needsText(needs, neededSvc)],
          ['Started again', runtime && restartText(runtime)],
          ['Time to stop softly', runtime && `${runtime.stop_seconds} s`],
          ['Time to its first level', `${health.start_seconds} s`],
          ['Instructions', instructions && <Mono key="instructions">{instructions}</Mono>],
          ['Buttons', list(controls.map((control) => control.replace('_', ' '))) || 'none'],
          ['Kept between versions', list(state) ? <Mono key="state">{list(state) || ''}</Mono> : 'nothing'],
          ['Its status file', status && <Mono key="status">{status}</Mono>],
        ]}
      />
      <p className="bp-note">
        It runs as the user who installs it, and can read and do on that machine what this user can.{' '}
        {mcp && (
          <>
            Its tool servers are those in <Mono>{mcp}</Mono>.
          </>
        )}
      </p>
    </Section>
  )
}

const Reach = ({ manifest: { bindings } }: { manifest: Manifest }) => (
  <Section title="What it may reach" flush>
    {bindings.length === 0 ? (
      <Nothing>It works with no other product: the code gives it no token but its own.</Nothing>
    ) : (
      <>
        <ul className="svc-rows">
          {bindings.map(({ product, role, scopes }) => (
            <li key={product}>
              <strong>{product}</strong> as {role}
              <div className="svc-quiet">{scopes.length > 0 ? `may ${scopes.join(', ')}` : 'without scopes'}</div>
            </li>
          ))}
        </ul>
        <p className="bp-note">A bot of this workspace acts for it there. Revoking the bot ends it at once.</p>
      </>
    )}
  </Section>
)

const Secrets = ({ manifest: { secrets } }: { manifest: Manifest }) => (
  <Section title="Secrets it asks for" flush>
    {secrets.length === 0 ? (
      <Nothing>None.</Nothing>
    ) : (
      <>
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
        <p className="bp-note">They are typed on the agent’s machine and stay there. This service never sees them.</p>
      </>
    )}
  </Section>
)

const Settings = ({ manifest: { settings } }: { manifest: Manifest }) => (
  <Section title="Settings" flush>
    {settings.length === 0 ? (
      <Nothing>None.</Nothing>
    ) : (
      <ul className="svc-rows">
        {settings.map((setting) => (
          <li key={setting.key}>
            <Text>{nameOf(setting)}</Text>
            <div className="svc-quiet">
              <Text>{settingText(setting)}</Text>
            </div>
          </li>
        ))}
      </ul>
    )}
  </Section>
)

const Logs = ({ manifest: { logs } }: { manifest: Manifest }) => (
  <Section title="Logs that can be asked for" flush>
    {logs.length === 0 ? (
      <Nothing>Only those that its reports name.</Nothing>
    ) : (
      <Facts facts={logs.map(({ name, path }) => [name, <Mono key={name}>{path}</Mono>] as const)} />
    )}
  </Section>
)

const Files = ({ files }: { files: BlueprintVersion['files'] }) => (
  <Section
    title="Files"
    aside={`${count(files.length, 'file')}, ${bytes(files.reduce((sum, { size }) => sum + size, 0))}`}
    flush
  >
    <details className="bp-files">
      <summary>What is in the zip</summary>
      <ul>
        {files.map(({ path, size, executable }) => (
          <li key={path}>
            <Mono>{path}</Mono>
            <span className="svc-quiet">
              {executable && 'executable, '}
              {bytes(size)}
            </span>
          </li>
        ))}
      </ul>
    </details>
  </Section>
)

const Mono = ({ children }: { children: string }) => <Text mono>{children}</Text>
const Nothing = ({ children }: { children: ReactNode }) => <p className="bp-note">{children}</p>
