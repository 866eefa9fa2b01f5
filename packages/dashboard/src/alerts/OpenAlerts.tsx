import { Button, Checkbox } from '@mantine/core'
import type { AlertLine } from '@svc/api'
import { namesOf, subjectText } from '@svc/api/words'
import { type ReactNode, useState } from 'react'
import { count, Level, Text, Time } from '../ui/index.ts'
import { Acknowledge } from './Acknowledge.tsx'
import { AlertItem } from './AlertItem.tsx'
import { type AlertFold, foldAlerts, foldText, mutesOf } from './folding.ts'
import { MuteMany } from './mutes/MuteMany.tsx'

interface OpenAlertsProps {
  slug: string
  admin: boolean
  rows: readonly AlertLine[]
}

/** The open alerts, folded by cause. Selected ones are acknowledged or muted together. */
export function OpenAlerts({ slug, admin, rows }: OpenAlertsProps) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const selected = rows.filter(({ id }) => chosen.has(id))
  const select = (alerts: readonly AlertLine[], on: boolean) =>
    setChosen((before) => {
      const ids = new Set(alerts.map(({ id }) => id))
      return new Set([...[...before].filter((id) => !ids.has(id)), ...(on ? ids : [])])
    })
  const box = (alerts: readonly AlertLine[], label: string) => {
    const there = alerts.filter(({ id }) => chosen.has(id)).length
    return (
      <Checkbox
        className="al-select"
        aria-label={label}
        checked={there === alerts.length && there > 0}
        indeterminate={there > 0 && there < alerts.length}
        onChange={(event) => select(alerts, event.currentTarget.checked)}
      />
    )
  }
  return (
    <>
      <div className="al-bar">
        {box(rows, 'Select all alerts')}
        <span role="status">
          {selected.length === 0 ? 'Select all' : `${count(selected.length, 'alert')} selected`}
        </span>
        {selected.length > 0 && <Acts slug={slug} admin={admin} alerts={selected} done={() => setChosen(new Set())} />}
      </div>
      <ul className="svc-rows" aria-label="Open alerts">
        {foldAlerts(rows).map((fold) =>
          fold.alerts.length === 1 ? (
            <AlertItem
              key={fold.key}
              slug={slug}
              alert={fold.alerts[0]}
              admin={admin}
              select={box(fold.alerts, `Select the alert about ${subjectText(fold.alerts[0].subject)}`)}
            />
          ) : (
            <Folded key={fold.key} slug={slug} admin={admin} fold={fold} select={box} />
          ),
        )}
      </ul>
    </>
  )
}

interface ActsProps {
  slug: string
  admin: boolean
  alerts: readonly AlertLine[]
  done?: () => void
}

/** The buttons that acknowledge and mute these alerts. Those that nobody needs to press are missing. */
function Acts({ slug, admin, alerts, done }: ActsProps) {
  const open = alerts.filter(({ acknowledged }) => acknowledged === null)
  const mutes = mutesOf(alerts, admin)
  return (
    <div className="al-acts">
      {open.length > 0 && <Acknowledge slug={slug} alerts={open} {...(done && { done })} />}
      {mutes.length > 0 && <MuteMany slug={slug} covered={mutes} {...(done && { done })} />}
    </div>
  )
}

interface FoldedProps {
  slug: string
  admin: boolean
  fold: AlertFold
  select: (alerts: readonly AlertLine[], label: string) => ReactNode
}

/** One line for several alerts with the same cause. It opens to show each of them. */
function Folded({ slug, admin, fold, select }: FoldedProps) {
  const [isOpened, setOpened] = useState(false)
  const { alerts } = fold
  const acknowledged = alerts.filter((alert) => alert.acknowledged !== null).length
  const names = alerts.map(({ agent, subject }) => agent ?? subject.name)
  return (
    <>
      <li className="al-item" data-quiet={acknowledged === alerts.length}>
        {select(alerts, `Select ${foldText(fold)}`)}
        <span className="al-level">
          <Level level={alerts[0].level} />
        </span>
        <div className="al-words">
          <div>
            <strong>
              <Text>{foldText(fold)}</Text>
            </strong>
          </div>
          <div className="svc-quiet">
            <Text>{namesOf(names)}</Text>
          </div>
          <div className="svc-quiet">
            began <Time at={Math.min(...alerts.map(({ since }) => since))} />
            {acknowledged > 0 && ` · ${acknowledged} acknowledged`}
          </div>
        </div>
        <div className="al-acts">
          <Button
            variant="subtle"
            size="compact-sm"
            aria-expanded={isOpened}
            aria-label={`${isOpened ? 'Hide' : 'Show'} each of ${foldText(fold)}`}
            onClick={() => setOpened(!isOpened)}
          >
            {isOpened ? 'Hide each' : 'Show each'}
          </Button>
          <Acts slug={slug} admin={admin} alerts={alerts} />
        </div>
      </li>
      {isOpened &&
        alerts.map((alert) => (
          <AlertItem
            key={alert.id}
            slug={slug}
            alert={alert}
            admin={admin}
            select={select([alert], `Select the alert about ${subjectText(alert.subject)}`)}
          />
        ))}
    </>
  )
}
