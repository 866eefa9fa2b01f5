import { Button } from '@mantine/core'
import type { MuteRow } from '@svc/api'
import { alertRules, itemText } from '@svc/api/words'
import { call } from '../../data/api.ts'
import { exactTime, serviceNow, Text, Time } from '../../ui/index.ts'
import { DottedParts } from '../../ui/parts.tsx'
import { useAlertChange } from '../parts/useAlertChange.ts'
import { muteCoverText } from '../parts/words.ts'

interface MuteLineProps {
  slug: string
  mute: MuteRow
  mayLift: boolean
  /** True if the list of mutes is on the page of the agent that this mute covers. */
  onItsPage?: boolean
}

/**
 * One mute in a list: what it covers, when it starts (if it has not started), when it ends, who made it, and the button
 * that lifts it.
 */
export function MuteLine({ slug, mute, mayLift, onItsPage = false }: MuteLineProps) {
  const lift = useAlertChange(slug, 'Not lifted', () => call('DELETE /w/:slug/mutes/:id', { slug, id: mute.id }))
  const what = muteCoverText(mute)
  return (
    <li className="al-item">
      <div className="al-words">
        <strong>
          <Text>{onItsPage ? mutedHere(mute) : what}</Text>
        </strong>
        <div className="svc-quiet">
          <DottedParts
            parts={[
              mute.from > serviceNow() && `from ${exactTime(mute.from)}`,
              mute.until === null ? (
                'until it is over'
              ) : (
                <>
                  until {exactTime(mute.until)} (<Time at={mute.until} />)
                </>
              ),
              <>
                by <Text>{mute.by}</Text>
              </>,
            ]}
          />
        </div>
      </div>
      {mayLift && (
        <div className="al-acts">
          <Button
            variant="default"
            size="compact-sm"
            loading={lift.busy}
            onClick={() => lift.submit()}
            aria-label={`Lift the mute of ${what}`}
          >
            Lift
          </Button>
        </div>
      )}
    </li>
  )
}

function mutedHere({ rule, item }: MuteRow): string {
  if (item !== null) return `Muted: ${itemText(item)}`
  return rule === null ? 'Muted' : `Muted: ${alertRules[rule].heading}`
}
