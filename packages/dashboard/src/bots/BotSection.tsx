import { Button, Group } from '@mantine/core'
import type { Bot, BotToken, BotTokenState } from '@svc/api'
import { useState } from 'react'
import { paths } from '../paths.ts'
import { Section, Text, Time, Tone } from '../ui/index.ts'
import { AnchorLink } from '../ui/links.tsx'
import { EndBot, type Ending } from './EndBot.tsx'

const tones: Readonly<Record<BotTokenState, string>> = { active: 'good', revoked: 'no', expired: 'lost' }

/** Shows a bot: its product and role, and the tokens of the agents that act as it. */
export function BotSection({ slug, bot, admin }: { slug: string; bot: Bot; admin: boolean }) {
  const [ending, setEnding] = useState<Ending | null>(null)
  const active = bot.tokens.filter(({ state }) => state === 'active').length
  return (
    <Section
      title={
        <>
          <Text>{bot.name}</Text>{' '}
          <span className="bot-where">
            {bot.role} in {bot.product}
          </span>
        </>
      }
      aside={
        <>
          created <Time at={bot.createdAt} />
        </>
      }
      flush
    >
      {bot.tokens.length === 0 ? (
        <p className="svc-note">No agent uses this bot: it has no tokens.</p>
      ) : (
        <ul className="svc-rows" aria-label={`Tokens of ${bot.name}`}>
          {bot.tokens.map((token) => (
            <li key={token.id} className="bot-token">
              <div className="bot-token-words">
                <AnchorLink to={paths.agent} params={{ slug, name: token.agent }} fw={600}>
                  {token.agent}
                </AnchorLink>{' '}
                <Tone tone={tones[token.state]}>{token.state}</Tone>
                <div>{token.scopes.length > 0 ? `can: ${token.scopes.join(', ')}` : 'no scopes'}</div>
                <div className="svc-quiet">
                  <Times token={token} />
                </div>
              </div>
              {admin && active > 1 && token.state === 'active' && (
                <Button
                  variant="default"
                  size="compact-sm"
                  onClick={() => setEnding({ is: 'token', token })}
                  aria-label={`Revoke the token of ${token.agent} for ${bot.product}`}
                >
                  Revoke…
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
      {admin && (
        <Group gap="xs" px={16} py={6}>
          {active > 0 && (
            <Button variant="default" size="xs" onClick={() => setEnding({ is: 'all' })}>
              {active === 1 ? 'Revoke bot…' : `Revoke all ${active} tokens…`}
            </Button>
          )}
          <Button variant="default" size="xs" onClick={() => setEnding({ is: 'bot' })}>
            Delete bot…
          </Button>
        </Group>
      )}
      <EndBot slug={slug} bot={bot} ending={ending} onClose={() => setEnding(null)} />
    </Section>
  )
}

const Times = ({ token: { issuedAt, expiresAt, revokedAt, lastUsedAt, state } }: { token: BotToken }) => (
  <>
    issued <Time at={issuedAt} />,{' '}
    {revokedAt !== null ? (
      <>
        revoked <Time at={revokedAt} />
      </>
    ) : (
      <>
        {state === 'expired' ? 'expired' : 'expires'} <Time at={expiresAt} />
      </>
    )}
    ,{' '}
    {lastUsedAt === null ? (
      'never used'
    ) : (
      <>
        last used <Time at={lastUsedAt} />
      </>
    )}
  </>
)
