import { ActionIcon, Button, Menu } from '@mantine/core'
import type { Bot, BotToken, BotTokenState } from '@svc/api'
import { IconDots } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { joinNames } from '../blueprints/parts/words.ts'
import { call } from '../data/api.ts'
import { queryKeys } from '../data/queries.ts'
import { paths } from '../paths.ts'
import { Confirm, Section, Text, Time, Tone } from '../ui/index.ts'
import { AnchorLink } from '../ui/links.tsx'

const tones: Readonly<Record<BotTokenState, string>> = { active: 'good', revoked: 'no', expired: 'lost' }

/** Shows a bot: its product and role, and the tokens of the agents that act as it. */
export function BotSection({ slug, bot, admin }: { slug: string; bot: Bot; admin: boolean }) {
  const [ending, setEnding] = useState<BotEnd | null>(null)
  const active = bot.tokens.filter(({ state }) => state === 'active').length
  return (
    <Section
      title={<Text>{bot.name}</Text>}
      aside={admin && <BotMenu bot={bot} active={active} onEnd={setEnding} />}
      flush
    >
      <p className="svc-note bot-about">
        {bot.role} in <Text>{bot.product}</Text>, created <Time at={bot.createdAt} />
      </p>
      {bot.tokens.length === 0 ? (
        <p className="svc-note">No agent uses this bot: it has no tokens.</p>
      ) : (
        <ul className="svc-rows" aria-label={`Tokens of ${bot.name}`}>
          {bot.tokens.map((token) => (
            <li key={token.id} className="bot-token">
              <div className="bot-token-words">
                <span className="bot-user">
                  <span>
                    used by{' '}
                    <AnchorLink to={paths.agent} params={{ slug, name: token.agent }} fw={600}>
                      {token.agent}
                    </AnchorLink>
                  </span>{' '}
                  <Tone tone={tones[token.state]}>{token.state}</Tone>
                </span>{' '}
                <span className="svc-quiet">
                  Permissions: {token.scopes.length > 0 ? token.scopes.join(', ') : 'none'}
                </span>{' '}
                <span className="svc-quiet">
                  <TokenTimes token={token} />
                </span>
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
      <EndBot slug={slug} bot={bot} ending={ending} onClose={() => setEnding(null)} />
    </Section>
  )
}

interface MoreProps {
  bot: Bot
  /** The number of active tokens of the bot. */
  active: number
  onEnd: (ending: BotEnd) => void
}

const BotMenu = ({ bot, active, onEnd }: MoreProps) => (
  <Menu position="bottom-end" withinPortal>
    <Menu.Target>
      <ActionIcon variant="default" size={28} aria-label={`More about ${bot.name} in ${bot.product}`}>
        <IconDots size={15} aria-hidden />
      </ActionIcon>
    </Menu.Target>
    <Menu.Dropdown>
      {active > 0 && (
        <Menu.Item onClick={() => onEnd({ is: 'all' })}>
          {active === 1 ? 'Revoke its token…' : `Revoke all ${active} tokens…`}
        </Menu.Item>
      )}
      <Menu.Item color="red" onClick={() => onEnd({ is: 'bot' })}>
        Delete bot…
      </Menu.Item>
    </Menu.Dropdown>
  </Menu>
)

const TokenTimes = ({ token: { issuedAt, expiresAt, revokedAt, lastUsedAt, state } }: { token: BotToken }) => (
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

/** The target of the dialog `EndBot`, which it revokes or deletes: one token, all tokens of a bot, or the bot. */
type BotEnd = { is: 'token'; token: BotToken } | { is: 'all' } | { is: 'bot' }

interface EndBotProps {
  slug: string
  bot: Bot
  ending: BotEnd | null
  onClose: () => void
}

/** A dialog that revokes tokens of a bot or deletes the bot. The dialog first says which agents are affected. */
function EndBot({ slug, bot, ending, onClose }: EndBotProps) {
  const client = useQueryClient()
  const [last, setLast] = useState<BotEnd>({ is: 'all' })
  if (ending !== null && ending !== last) setLast(ending) // A closing dialog still shows its last text.
  const hit = (last.is === 'token' ? [last.token] : bot.tokens).filter(({ state }) => state === 'active')
  const agents = joinNames(hit.map(({ agent }) => agent))
  const end = async () => {
    if (last.is === 'token')
      await call('POST /w/:slug/bots/:id/tokens/:token/revoke', { slug, id: bot.id, token: last.token.id })
    else if (last.is === 'all') await call('POST /w/:slug/bots/:id/revoke', { slug, id: bot.id })
    else await call('DELETE /w/:slug/bots/:id', { slug, id: bot.id })
    for (const queryKey of [queryKeys.bots(slug), queryKeys.agents(slug)]) void client.invalidateQueries({ queryKey })
  }
  return (
    <Confirm
      opened={ending !== null}
      onClose={onClose}
      title={titleOf(last, bot)}
      confirm={last.is === 'bot' ? 'Delete bot' : 'Revoke'}
      danger
      onConfirm={end}
    >
      This can’t be undone.
      <ul className="svc-consequences">
        {hit.length > 0 && (
          <>
            <li>
              {bot.product} refuses {hit.length === 1 ? 'the token' : 'the tokens'} of {agents} from now on.
            </li>
            <li>
              {hit.length === 1 ? 'The binding of this agent turns' : 'The bindings of these agents turn'} bad here. The{' '}
              {hit.length === 1 ? 'agent itself goes' : 'agents themselves go'} on.
            </li>
            <li>To give an agent a new token, delete it here and install it again with a new code.</li>
          </>
        )}
        {last.is === 'bot' ? (
          <li>This frees one of the ten bots. What the bot did in {bot.product} stays there.</li>
        ) : (
          <li>The bot stays. The next installation that needs it gets a new token.</li>
        )}
      </ul>
    </Confirm>
  )
}

const titleOf = (ending: BotEnd, { name, product }: Bot): string => {
  if (ending.is === 'token') return `Revoke the token of ${ending.token.agent} for ${product}?`
  return ending.is === 'all' ? `Revoke ${name} in ${product}?` : `Delete the bot ${name} of ${product}?`
}
