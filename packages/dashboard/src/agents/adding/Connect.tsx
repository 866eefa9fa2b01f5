import { Button, Group } from '@mantine/core'
import type { NewToken } from '@svc/api'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useBlocker } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { meQuery } from '../../data/queries.ts'
import { paths } from '../../paths.ts'
import { Confirm, ErrorNote, Help, PageHeader } from '../../ui/index.ts'
import { AnchorLink, ButtonLink } from '../../ui/links.tsx'
import { CopyLines } from '../../ui/values/CopyLines.tsx'
import { ReachNote } from '../../ui/values/ReachNote.tsx'
import { WithoutPython } from '../dialogs/FetchProgram.tsx'
import { FirstReport, useFirstReport } from '../dialogs/FirstReport.tsx'
import { KeepRunning } from '../dialogs/KeepRunning.tsx'
import { adoptBlock, adoptLine, checkLine, connectBlock, connectLine } from '../dialogs/paste-lines.ts'
import { NumberedStep, TokenOnce, WithoutProgram } from '../dialogs/TokenSteps.tsx'
import { freeName, useTakenNames } from './names.ts'
import { AddingSteps, useAdding, type WhatToAdd } from './What.tsx'

interface ConnectProps {
  slug: string
  token: NewToken
  to: WhatToAdd
  onAdded: (token: NewToken, to: WhatToAdd) => void
}

/** The second and the third step: the block to paste, which contains the token, and above it the first report. */
export function Connect({ slug, token, to, onAdded }: ConnectProps) {
  const { service } = useSuspenseQuery(meQuery).data
  const { name } = token
  const arrived = useFirstReport(slug, name) !== undefined
  return (
    <>
      <PageHeader title={`Connect ${name}`} note={to.tags.length > 0 && `tags ${to.tags.join(', ')}`} />
      <AddingSteps at={arrived ? 3 : 2} />
      <div className="add-arrival">
        <FirstReport slug={slug} name={name}>
          <FirstReportNote slug={slug} name={name} to={to} onAdded={onAdded} />
        </FirstReport>
      </div>
      <div className="svc-columns add-columns">
        <div className="svc-column">
          <NumberedStep order={2} title="Paste this on the machine">
            <ReachNote address={service.baseUrl} />
            {service.runtime ? (
              <ConnectBlock baseUrl={service.baseUrl} token={token} what={to.what} />
            ) : (
              <>
                <CopyLines text={token.token} label="token" />
                <TokenOnce />
                <WithoutProgram baseUrl={service.baseUrl} />
              </>
            )}
          </NumberedStep>
        </div>
        <div className="svc-column">
          {service.runtime && (
            <Later title="Keep it running" open={arrived}>
              {to.what === 'cron' ? <CronRuns /> : <KeepRunning />}
            </Later>
          )}
          <Later title="Tell it more" open={arrived}>
            <TellMore slug={slug} name={name} what={to.what} />
          </Later>
        </div>
      </div>
      <LeaveToken open={!arrived} name={name} />
    </>
  )
}

/** A card about what comes after the first report. It is folded until `open` is true. */
const Later = ({ title, open, children }: { title: string; open: boolean; children: ReactNode }) => (
  <details className="svc-card add-later" open={open}>
    <summary>
      <h2>{title}</h2>
    </summary>
    <div className="svc-section-body">{children}</div>
  </details>
)

/** Leads to the agent that has reported, and adds another one like it with one press. */
function FirstReportNote({ slug, name, to, onAdded }: Omit<ConnectProps, 'token'> & { name: string }) {
  const taken = useTakenNames(slug, to.base)
  const { busy, error, submit } = useAdding(slug, onAdded)
  const next = freeName(to.base, taken)
  return (
    <>
      <Group gap="xs" className="add-goes">
        <Button variant="default" loading={busy} disabled={!taken} onClick={() => submit({ ...to, name: next })}>
          {`Add another: ${next}`}
        </Button>
        <ButtonLink to={paths.agent} params={{ slug, name }}>
          {`Open ${name}`}
        </ButtonLink>
      </Group>
      {error !== null && <ErrorNote error={error} />}
    </>
  )
}

interface BlockProps {
  baseUrl: string
  token: NewToken
  what: WhatToAdd['what']
}

/**
 * Shows the lines to paste, and variants that keep the token out of the shell's history or verify the program first.
 */
function ConnectBlock({ baseUrl, token, what }: BlockProps) {
  const cron = what === 'cron'
  return (
    <>
      <CopyLines text={(cron ? adoptBlock : connectBlock)(baseUrl, token)} label="block" />
      <TokenOnce />
      <p className="svc-quiet">
        {cron
          ? 'As the user whose jobs these are. Nothing changes in the crontab until you agree to the difference that the last line shows.'
          : 'In the program’s own folder. It writes svc.agent.yaml and a first status, if there are none.'}{' '}
        It needs Node 20 and Python 3.6, or newer, and makes <code>svc</code> a command of your user, or of all users if
        you are root. <WithoutPython />
      </p>
      <details className="svc-quiet">
        <summary>The token and the shell’s history</summary>
        <p>
          Each line begins with a space, so shells that ignore such lines keep none: Bash as Debian, Ubuntu and others
          set it up, and Zsh with <code>HIST_IGNORE_SPACE</code>. Other shells keep the token in their history. It is
          never in the list of processes. To keep it out of every history, paste this in place of the line with{' '}
          <code>echo</code>, and then the token, which is not shown:
        </p>
        <CopyLines
          text={`${cron ? adoptLine(baseUrl, token.name) : connectLine(baseUrl, token.name, '.')} --token-file -`}
          label="line that asks for the token"
        />
        <CopyLines text={token.token} label="token" />
      </details>
      <details className="svc-quiet">
        <summary>Verify the program first</summary>
        <CopyLines text={checkLine(baseUrl)} label="line that verifies the program" />
        <p>Run this after the first line, on Linux or macOS. It prints “svc.pyz: OK”.</p>
      </details>
    </>
  )
}

const CronRuns = () => (
  <p className="add-says">
    It runs already, and starts with the machine. Cron starts the jobs as before, even if svc is gone.{' '}
    <code>svc adopt --remove</code> puts every line back.
  </p>
)

const TellMore = ({ slug, name, what }: { slug: string; name: string; what: WhatToAdd['what'] }) => (
  <ul className="svc-list add-more">
    {what === 'cron' ? (
      <li>
        Late and failed jobs, and their logs. <Help about="jobs#adopt-your-crontab" />
      </li>
    ) : (
      <li>
        How it is: two lines in its program write a status file. The first one says “Hello”, and soon counts as old.{' '}
        <Help about="sdk#all-calls" />
      </li>
    )}
    <li>
      When it is expected to run, and what it is called:{' '}
      <AnchorLink to={paths.agent} params={{ slug, name }} underline="always">
        its page
      </AnchorLink>
      .
    </li>
    <li>
      Who hears about it:{' '}
      <AnchorLink to={paths.alerts} params={{ slug }} search={{ tab: 'mine' }} underline="always">
        alerts for me
      </AnchorLink>
      .
    </li>
  </ul>
)

/** Asks before the person leaves the only page that shows the token, while nothing has reported with it. */
function LeaveToken({ open, name }: { open: boolean; name: string }) {
  const blocker = useBlocker({
    // Even a link to this same page is blocked, since the token would no longer be shown.
    shouldBlockFn: () => open,
    enableBeforeUnload: () => open,
    withResolver: true,
  })
  return (
    <Confirm
      opened={blocker.status === 'blocked'}
      onClose={() => blocker.reset?.()}
      title={`Leave before ${name} reports?`}
      confirm="Leave"
      keepOpen
      onConfirm={async () => blocker.proceed?.()}
    >
      Its token is shown only here. If you have not pasted it, its page can create a new one.
    </Confirm>
  )
}
