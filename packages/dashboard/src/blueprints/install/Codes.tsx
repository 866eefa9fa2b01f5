import { Button } from '@mantine/core'
import type { InstallCode } from '@svc/api'
import { useQuery } from '@tanstack/react-query'
import { read } from '../../data/queries.ts'
import { paths } from '../../paths.ts'
import { count, Section, Text, Time } from '../../ui/index.ts'
import { AnchorLink } from '../../ui/links.tsx'
import { QueryState } from '../../ui/pages/QueryState.tsx'
import { Countdown } from './Countdown.tsx'
import { useRevokeCodes } from './useRevokeCodes.tsx'
import './install.css'

interface CodesProps {
  slug: string
  admin: boolean
  /** If given, only the codes for this blueprint are shown. */
  blueprint?: string
}

/** Shows the open install codes, and how the other codes of the last 30 days ended. Shows nothing without codes. */
export function Codes({ slug, admin, blueprint }: CodesProps) {
  const query = useQuery(read('GET /w/:slug/codes', { slug }))
  const codes = query.data?.filter((code) => blueprint === undefined || code.blueprint === blueprint)
  if (!codes) return <QueryState of={query} waiting={null} />
  if (codes.length === 0) return null
  const open = codes.filter(isOpen)
  const over = codes.filter((code) => !isOpen(code))
  return (
    <Section title="Install codes" aside={open.length > 0 ? `${open.length} open` : 'none open'} flush>
      {open.length > 0 && (
        <ul className="svc-rows" aria-label="Open install codes">
          {open.map((code) => (
            <OpenCode
              key={code.id}
              slug={slug}
              code={code}
              admin={admin}
              named={blueprint === undefined}
              onOver={query.refetch}
            />
          ))}
        </ul>
      )}
      {over.length > 0 && (
        <details className="in-over">
          <summary>{count(over.length, 'code')} of the last 30 days</summary>
          <ul className="svc-list">
            {over.map((code) => (
              <li key={code.id}>
                <EndedCode slug={slug} code={code} named={blueprint === undefined} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </Section>
  )
}

const isOpen = ({ state }: InstallCode): boolean => state === 'live' || state === 'barred'

interface OpenProps {
  slug: string
  code: InstallCode
  admin: boolean
  named: boolean
  onOver: () => unknown
}

function OpenCode({ slug, code, admin, named, onOver }: OpenProps) {
  const askToRevoke = useRevokeCodes(slug, [code])
  return (
    <li className="in-code">
      <div className="in-code-words">
        <AnchorLink to={paths.code} params={{ slug, id: code.id }} fw={600}>
          {code.agentName}
        </AnchorLink>{' '}
        {code.state === 'barred' ? (
          <span className="in-barred">No longer valid: its issuer is no longer an admin</span>
        ) : (
          <Countdown until={code.expiresAt} onOver={onOver} />
        )}
        <div className="svc-quiet">
          <CodeVersion code={code} named={named} /> issued <Time at={code.issuedAt} /> by <Text>{code.issuedBy}</Text>
        </div>
      </div>
      {admin && (
        <Button
          variant="default"
          size="compact-sm"
          onClick={askToRevoke}
          aria-label={`Revoke the code for ${code.agentName}`}
        >
          Revoke…
        </Button>
      )}
    </li>
  )
}

const stateVerbs: Readonly<Record<InstallCode['state'], string>> = {
  live: 'valid',
  barred: 'no longer valid',
  redeemed: 'used',
  expired: 'expired unused',
  revoked: 'revoked unused',
}

const EndedCode = ({ slug, code, named }: { slug: string; code: InstallCode; named: boolean }) => (
  <>
    {code.agent === null ? (
      <Text>{code.agentName}</Text>
    ) : (
      <AnchorLink to={paths.agent} params={{ slug, name: code.agent }}>
        {code.agent}
      </AnchorLink>
    )}{' '}
    <span className="svc-quiet">
      <CodeVersion code={code} named={named} /> {stateVerbs[code.state]}{' '}
      <Time at={code.redeemedAt ?? code.revokedAt ?? code.expiresAt} />
      {code.state === 'redeemed' && code.agent === null && ', deleted since'}, issued by <Text>{code.issuedBy}</Text>
    </span>
  </>
)

const CodeVersion = ({ code: { blueprint, version }, named }: { code: InstallCode; named: boolean }) => (
  <>
    <Text>{named ? `${blueprint} ${version}` : version}</Text>,
  </>
)
