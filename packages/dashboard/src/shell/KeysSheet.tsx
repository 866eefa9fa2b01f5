/** The dialog that lists all keyboard shortcuts. Its code is loaded when it is first opened. */
import { Dialog } from '../ui/index.ts'
import { keyTable, modifierKeyOf } from '../ui/keys/keys.ts'
import './keys.css'
import { isMac } from '../ui/keys/useKeys.ts'

const keyGroups = [
  ['everywhere', 'Everywhere'],
  ['agent', 'Page of an agent'],
  ['list', 'List of agents'],
] as const

const keyLabels: Readonly<Record<string, string>> = {
  Mod: modifierKeyOf(isMac),
  ArrowDown: '↓',
  ArrowUp: '↑',
  Escape: 'Esc',
}

export function KeysSheet({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Dialog opened={opened} onClose={onClose} title="Keys" size="lg">
      <div className="svc-keys">
        {keyGroups.map(([where, title]) => (
          <section key={where}>
            <h3>{title}</h3>
            <dl>
              {keyTable
                .filter((key) => key.where === where)
                .map(({ does, says, ...key }) => (
                  <div key={does}>
                    <dt>
                      <KeyPresses all={[...('press' in key ? key.press : []), ...('onRow' in key ? key.onRow : [])]} />
                    </dt>
                    <dd>{says}</dd>
                  </div>
                ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  )
}

const KeyPresses = ({ all }: { all: readonly string[] }) =>
  all.map((press, i) => (
    <span key={press}>
      {i > 0 && ' or '}
      {press === ' ' ? (
        <kbd>Space</kbd>
      ) : (
        press
          .split(' ')
          .map((one) => <kbd key={one}>{keyLabels[one] ?? (press.startsWith('Mod ') ? one.toUpperCase() : one)}</kbd>)
      )}
    </span>
  ))
