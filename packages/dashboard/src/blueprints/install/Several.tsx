import { Button, Group, Stack } from '@mantine/core'
import type { InstallCode, NewCode } from '@svc/api'
import { IconDownload } from '@tabler/icons-react'
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { useBlocker } from '@tanstack/react-router'
import { FetchProgram } from '../../agents/dialogs/FetchProgram.tsx'
import { initWithCodeLine } from '../../agents/dialogs/paste-lines.ts'
import { NumberedStep } from '../../agents/dialogs/TokenSteps.tsx'
import { meQuery, read } from '../../data/queries.ts'
import { paths } from '../../paths.ts'
import { Confirm, count, Help, PageHeader, Text } from '../../ui/index.ts'
import { AnchorLink } from '../../ui/links.tsx'
import { CopyLines } from '../../ui/values/CopyLines.tsx'
import { ReachNote } from '../../ui/values/ReachNote.tsx'
import { Countdown } from './Countdown.tsx'
import { useRevokeCodes } from './useRevokeCodes.tsx'
import { Warnings } from './Warnings.tsx'

interface SeveralProps {
  slug: string
  first: NewCode
  codes: readonly NewCode[]
}

/** Shows several install codes that were just issued, as a list to copy and as a file, and which of them were used. */
export function SeveralCodes({ slug, first, codes }: SeveralProps) {
  const { service } = useSuspenseQuery(meQuery).data
  const query = useQuery(read('GET /w/:slug/codes', { slug }))
  const known = new Map(query.data?.map((code) => [code.id, code]))
  const used = codes.flatMap(({ id }) => known.get(id)?.agent ?? [])
  const usable = usableCodes(codes, query.data)
  const askToRevoke = useRevokeCodes(slug, usable)
  const warnings = [...new Set(codes.flatMap((code) => code.warnings))]
  return (
    <>
      <PageHeader
        title={`Install ${count(codes.length, 'agent')}`}
        note={
          <>
            <Text>{`${first.blueprint} ${first.version}`}</Text>
            {first.tags.length > 0 && ` · tags ${first.tags.join(', ')}`}
          </>
        }
      />
      <Stack gap="lg" className="in-several">
        <div className="svc-waiting">
          <div>
            <strong>
              <Countdown until={first.expiresAt} onOver={query.refetch} />
            </strong>{' '}
            <span role="status">
              {`${used.length} of ${codes.length} used.`}
              {usable.length + used.length < codes.length && ` ${usable.length} still valid.`}
            </span>
          </div>
        </div>
        <ReachNote address={service.baseUrl} />
        {warnings.length > 0 && <Warnings warnings={warnings} />}
        <NumberedStep order={2} title="1. The codes, one for each machine">
          <CopyLines text={codesAsLines(codes)} label="list of codes" />
          <Group gap="xs">
            <Button
              variant="default"
              leftSection={<IconDownload size={15} aria-hidden />}
              onClick={() => download(`${first.blueprint}-codes.csv`, codesAsCsv(codes))}
            >
              Download CSV
            </Button>
            {usable.length > 0 && (
              <Button variant="default" onClick={askToRevoke}>
                {`Revoke ${count(usable.length, 'code')}…`}
              </Button>
            )}
          </Group>
          <p className="svc-quiet">
            Copy or download them now: you won’t see them again. Each is valid once, and makes the agent beside it.
          </p>
        </NumberedStep>
        <NumberedStep order={2} title={service.runtime ? '2. Fetch the program on each machine' : '2. The program'}>
          {service.runtime ? (
            <FetchProgram baseUrl={service.baseUrl} />
          ) : (
            <p>
              This service has no <code>svc.pyz</code> to download. Use a copy that you already have.
            </p>
          )}
        </NumberedStep>
        <NumberedStep order={2} title="3. Install, with the machine’s own code">
          <CopyLines text={initWithCodeLine(service.baseUrl, 'CODE')} label="line that installs" />
          <p className="svc-quiet">
            Put a code in place of CODE. Machines behind one address take turns: each waits, says so, and goes on by
            itself. <Help about="runtime#installing-with-a-code" />
          </p>
        </NumberedStep>
        {used.length > 0 && (
          <NumberedStep order={2} title="Installed">
            <ul className="svc-list in-used">
              {used.map((name) => (
                <li key={name}>
                  <AnchorLink to={paths.agent} params={{ slug, name }}>
                    {name}
                  </AnchorLink>
                </li>
              ))}
            </ul>
          </NumberedStep>
        )}
      </Stack>
      <LeaveCodes codes={usable.length} />
    </>
  )
}

function download(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'text/csv' }))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(address), 10_000)
}

/** Asks before the person leaves the only page that shows codes which can still be used. */
function LeaveCodes({ codes }: { codes: number }) {
  const open = codes > 0
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => open && current.pathname !== next.pathname,
    enableBeforeUnload: () => open,
    withResolver: true,
  })
  return (
    <Confirm
      opened={blocker.status === 'blocked'}
      onClose={() => blocker.reset?.()}
      title="Leave the codes?"
      confirm="Leave"
      keepOpen
      onConfirm={async () => blocker.proceed?.()}
    >
      {`${count(codes, 'code')} can still be used, and they are shown only here. Copy or download them first.`}
    </Confirm>
  )
}

// Install codes as text, and the choice of those that can still be used.

type ListedCode = Pick<NewCode, 'agentName' | 'code' | 'expiresAt'>

/** A line for each code: the name of its agent, and the code. The codes begin in one column. */
export function codesAsLines(codes: readonly ListedCode[]): string {
  const width = Math.max(...codes.map(({ agentName }) => agentName.length))
  return codes.map(({ agentName, code }) => `${agentName.padEnd(width)}  ${code}`).join('\n')
}

/** The codes as CSV. Nothing is quoted, because names and codes have no character that needs it. */
export const codesAsCsv = (codes: readonly ListedCode[]): string =>
  [
    'agent,code,valid_until',
    ...codes.map(({ agentName, code, expiresAt }) => `${agentName},${code},${new Date(expiresAt).toISOString()}`),
    '',
  ].join('\r\n')

/** Returns the codes that can still be used: those whose state in `listed` is `live`, and those not in `listed`. */
export function usableCodes<T extends { id: string }>(
  codes: readonly T[],
  listed: readonly Pick<InstallCode, 'id' | 'state'>[] = [],
): T[] {
  const states = new Map(listed.map(({ id, state }) => [id, state]))
  return codes.filter(({ id }) => (states.get(id) ?? 'live') === 'live')
}
