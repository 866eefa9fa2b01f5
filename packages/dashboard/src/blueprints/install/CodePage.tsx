import { Button, Group, Loader, Stack } from '@mantine/core'
import type { InstallCode, NewCode } from '@svc/api'
import { IconKeyOff } from '@tabler/icons-react'
import { useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { FetchProgram } from '../../agents/dialogs/FetchProgram.tsx'
import { initLine, unattendedLine } from '../../agents/dialogs/paste-lines.ts'
import { NumberedStep } from '../../agents/dialogs/TokenSteps.tsx'
import { ApiError } from '../../data/api.ts'
import { meQuery, queryKeys, read } from '../../data/queries.ts'
import { useWorkspace } from '../../data/workspace.ts'
import { paths } from '../../paths.ts'
import { Empty, Help, PageHeader, Section, Text, Time, useDocumentTitle } from '../../ui/index.ts'
import { ButtonLink } from '../../ui/links.tsx'
import { NotThere } from '../../ui/pages/NotThere.tsx'
import { QueryState } from '../../ui/pages/QueryState.tsx'
import { WaitingPage } from '../../ui/pages/WaitingPage.tsx'
import { CopyLines } from '../../ui/values/CopyLines.tsx'
import { ReachNote } from '../../ui/values/ReachNote.tsx'
import { VersionBrief } from './Brief.tsx'
import { Countdown } from './Countdown.tsx'
import { takeIssuedCode } from './issued.ts'
import { useRevokeCodes } from './useRevokeCodes.tsx'
import { Warnings } from './Warnings.tsx'
import './install.css'

const route = getRouteApi('/signed-in/w/$slug/codes/$id')

/**
 * The page of one install code: how to use the code, and when it expires. When the code has been used, the page of the
 * new agent opens.
 */
export function CodePage() {
  const { slug, id } = route.useParams()
  return <OneCode key={id} slug={slug} id={id} />
}

function OneCode({ slug, id }: { slug: string; id: string }) {
  const [issued] = useState(() => takeIssuedCode(id))
  const query = useQuery(read('GET /w/:slug/codes/:id', { slug, id }))
  const { data: code, error, refetch } = query
  useDocumentTitle(code ? `Install ${code.agentName}` : 'Install code')
  const agent = code?.state === 'redeemed' ? code.agent : null
  useArrival(slug, agent)
  if (error instanceof ApiError && error.status === 404)
    return <NotThere slug={slug} back="blueprints" icon={IconKeyOff} title="Install code not found" />
  if (!code) return <QueryState of={query} />
  return (
    <div className="in-page">
      <PageHeader
        title={`Install ${code.agentName}`}
        note={
          <>
            <Text>{`${code.blueprint} ${code.version}`}</Text> · code issued <Time at={code.issuedAt} /> by{' '}
            <Text>{code.issuedBy}</Text>
            {code.tags.length > 0 && ` · tags ${code.tags.join(', ')}`}
          </>
        }
      />
      {code.state === 'live' ? (
        <LiveCode slug={slug} code={code} issued={issued} onOver={refetch} />
      ) : (
        <EndedCode slug={slug} code={code} arriving={agent !== null} />
      )}
    </div>
  )
}

/**
 * Replaces the page of an install code with the page of the new agent once the code has been used. The browser's Back
 * button then leads to the page before the code.
 */
function useArrival(slug: string, agent: string | null): void {
  const navigate = useNavigate()
  const client = useQueryClient()
  useEffect(() => {
    if (agent === null) return
    void client.invalidateQueries({ queryKey: queryKeys.fleet(slug) })
    void navigate({ to: paths.agent, params: { slug, name: agent }, replace: true })
  }, [client, navigate, slug, agent])
}

interface LiveProps {
  slug: string
  code: InstallCode
  /** The secret code. Only the first visit after the code was issued has it. */
  issued: NewCode | undefined
  onOver: () => unknown
}

function LiveCode({ slug, code, issued, onOver }: LiveProps) {
  const { service } = useSuspenseQuery(meQuery).data
  const { role } = useWorkspace()
  const { data: version } = useQuery(
    read('GET /w/:slug/blueprints/:blueprint/versions/:version', {
      slug,
      blueprint: code.blueprint,
      version: code.version,
    }),
  )
  const askToRevoke = useRevokeCodes(slug, [code])
  return (
    <div className="svc-columns in-columns">
      <Stack gap="lg">
        <div className="svc-waiting">
          <Loader size={16} aria-hidden />
          <div>
            <strong>
              <Countdown until={code.expiresAt} onOver={onOver} />
            </strong>{' '}
            <span role="status">When it is used, this page opens the agent.</span>
          </div>
        </div>
        <ReachNote address={service.baseUrl} />
        {issued && issued.warnings.length > 0 && <Warnings warnings={issued.warnings} />}
        <NumberedStep
          order={2}
          title={service.runtime ? '1. Fetch the program on the agent’s machine' : '1. The program'}
        >
          {service.runtime ? (
            <FetchProgram baseUrl={service.baseUrl} />
          ) : (
            <p>
              This service has no <code>svc.pyz</code> to download. Use a copy that you already have.
            </p>
          )}
        </NumberedStep>
        <NumberedStep order={2} title="2. Install">
          <CopyLines text={initLine(service.baseUrl)} label="line that installs" />
          <p className="svc-quiet">
            It asks for the code, shows what it will install, and asks for the secrets. The agent is installed in a new
            folder, <code>{code.agentName}</code>. Nothing is started unless you say so.{' '}
            <Help about="runtime#installing-with-a-code" />
          </p>
          <details className="svc-quiet">
            <summary>Unattended</summary>
            <CopyLines text={unattendedLine(service.baseUrl)} label="line that installs unattended" />
            <p>
              Put the code into <code>code.txt</code> first, so that it does not end up in the shell’s history. Pass
              secrets as environment variables of the same name, and settings with <code>--set KEY=VALUE</code>.
            </p>
          </details>
        </NumberedStep>
        <NumberedStep order={2} title="3. The code">
          {issued ? (
            <>
              <CopyLines text={issued.code} label="code" />
              <p className="svc-quiet">Copy it now: you won’t see it again after you leave this page.</p>
            </>
          ) : (
            <p>It was shown only once. If it is lost, revoke it and issue another one.</p>
          )}
        </NumberedStep>
        {role === 'admin' && (
          <Group gap="xs">
            <Button variant="default" onClick={askToRevoke}>
              Revoke code…
            </Button>
          </Group>
        )}
      </Stack>
      {version && (
        <Section title="What it installs" flush>
          <VersionBrief version={version} />
        </Section>
      )}
    </div>
  )
}

function EndedCode({ slug, code, arriving }: { slug: string; code: InstallCode; arriving: boolean }) {
  const { role } = useWorkspace()
  if (arriving) return <WaitingPage />
  const { blueprint, version, agentName: agent } = code
  return (
    <Empty
      icon={IconKeyOff}
      title={titles[code.state]}
      help="runtime#installing-with-a-code"
      action={
        role === 'admin' && (
          <ButtonLink to={paths.install} params={{ slug }} search={{ blueprint, version, agent }}>
            Issue another code
          </ButtonLink>
        )
      }
    >
      {code.state === 'redeemed' ? (
        'The agent that it installed has since been deleted.'
      ) : code.state === 'barred' ? (
        <>
          It was issued by <Text>{code.issuedBy}</Text>, who may no longer install agents.
        </>
      ) : (
        <>
          It was never used, and {code.state === 'revoked' ? 'was revoked' : 'expired'}{' '}
          <Time at={code.revokedAt ?? code.expiresAt} />.
        </>
      )}
    </Empty>
  )
}

const titles: Readonly<Record<InstallCode['state'], string>> = {
  live: 'The code is valid',
  barred: 'The code is no longer valid',
  redeemed: 'The code was used',
  expired: 'The code has expired',
  revoked: 'The code was revoked',
}
