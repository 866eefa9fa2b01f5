import { Button } from '@mantine/core'
import type { AgentBinding } from '@svc/api'
import { Suspense, useState } from 'react'
import { paths } from '../../paths.ts'
import { Level, Text, Time } from '../../ui/index.ts'
import { AnchorLink } from '../../ui/links.tsx'
import { Section } from '../../ui/parts.tsx'
import { DeleteDialog } from '../dialogs/index.ts'
import type { Agent } from '../parts/agent.ts'

/** Shows the bindings of an agent, whether each binding works, and if not, how to fix it (3.7). */
export const Bindings = ({ agent: { slug, page } }: { agent: Agent }) => (
  <Section
    title="Bindings"
    aside={
      <AnchorLink to={paths.bots} params={{ slug }} fz="xs">
        Bots
      </AnchorLink>
    }
    flush
  >
    <ul className="svc-rows" aria-label="Bindings">
      {page.bindings.map((binding) => (
        <li key={binding.product} className="ag-health">
          <span className="ag-health-level">
            {binding.broken || binding.health ? (
              <Level level={levelOf(binding)} />
            ) : (
              <span className="ag-quiet">Not checked yet</span>
            )}
          </span>
          <div className="ag-binding">
            <strong>{binding.product}</strong> <span className="ag-quiet">as {binding.role}</span>
            {binding.scopes.length > 0 && <div className="ag-quiet">can: {binding.scopes.join(', ')}</div>}
            {binding.mends !== null && (
              <p data-broken={binding.broken}>
                <Text>{binding.mends}</Text>
              </p>
            )}
            {binding.health?.detail && (
              <div className="ag-quiet">
                Its machine says: <Text>{binding.health.detail}</Text>
              </div>
            )}
            {binding.broken && binding.token !== 'active' && page.canAct && <ReinstallHint slug={slug} page={page} />}
            <div className="ag-quiet">
              <BindingToken binding={binding} />
            </div>
          </div>
        </li>
      ))}
    </ul>
  </Section>
)

/**
 * Offers to install the agent again, because only an installation gives a new token. The dialog deletes the agent, and
 * then opens the page that issues an install code.
 */
function ReinstallHint({ slug, page }: Pick<Agent, 'slug' | 'page'>) {
  const [asked, setAsked] = useState(false)
  const [used, setUsed] = useState(false)
  const { name, blueprint, versions } = page
  if (blueprint === null) return null
  return (
    <div className="ag-reinstall">
      <Button
        variant="default"
        size="compact-sm"
        onClick={() => {
          setUsed(true)
          setAsked(true)
        }}
      >
        Delete and reinstall…
      </Button>
      {used && (
        <Suspense>
          <DeleteDialog
            slug={slug}
            name={name}
            opened={asked}
            onClose={() => setAsked(false)}
            reinstall={{ blueprint, version: versions.running }}
          />
        </Suspense>
      )}
    </div>
  )
}

/**
 * The level of a binding. The level is `bad` if the binding is broken, for example by a revoked token, whatever the
 * machine last reported. It is undefined if the binding is not broken and the machine has not checked it yet.
 */
const levelOf = ({ broken, health }: AgentBinding) => (broken ? 'bad' : health?.level)

function BindingToken({
  binding: { bot, token, expiresAt, revokedAt, lastUsedAt, origin },
}: {
  binding: AgentBinding
}) {
  return (
    <>
      {bot === null ? 'no bot' : <>bot {bot.name}</>}
      {origin !== null && (
        <>
          {' at '}
          <Text>{origin}</Text>
        </>
      )}
      {token === 'revoked' && revokedAt !== null && (
        <>
          , revoked <Time at={revokedAt} />
        </>
      )}
      {token === 'active' && expiresAt !== null && (
        <>
          , its token expires <Time at={expiresAt} />
        </>
      )}
      {token === 'expired' && expiresAt !== null && (
        <>
          , its token expired <Time at={expiresAt} />
        </>
      )}
      {token !== 'none' &&
        (lastUsedAt === null ? (
          ', never used'
        ) : (
          <>
            , last used <Time at={lastUsedAt} />
          </>
        ))}
    </>
  )
}
