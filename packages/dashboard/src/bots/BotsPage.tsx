import { IconRobot } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { operatorCommand } from '../data/operator-command.ts'
import { read } from '../data/queries.ts'
import { useSlug, useWorkspace } from '../data/workspace.ts'
import { paths } from '../paths.ts'
import { count, Empty, Help, PageHeader, Section, Text, Time, Tone, useDocumentTitle } from '../ui/index.ts'
import { ButtonLink } from '../ui/links.tsx'
import { QueryState } from '../ui/pages/QueryState.tsx'
import { BotSection } from './BotSection.tsx'
import './bots.css'

/** The bots of the workspace: accounts that agents use in other products (2.9). */
export function BotsPage() {
  const slug = useSlug()
  const { name, role } = useWorkspace()
  const query = useQuery(read('GET /w/:slug/bots', { slug }))
  const { data } = query
  useDocumentTitle('Bots', name)
  return (
    <>
      <PageHeader
        title="Bots"
        note={
          <>
            Accounts that your agents use in other products. A bot is created when you install a blueprint that needs
            one.
            {data ? ` ${data.rows.length}\u00a0of\u00a0${data.most}\u00a0used.` : ''}
          </>
        }
      />
      <div className="svc-column">
        <QueryState of={query} />
        {data && data.rows.length >= data.most && (
          <p className="svc-notice" role="note">
            <strong>The limit of bots is reached.</strong> Installations that need a new bot are refused. Delete a bot
            that is no longer needed.
          </p>
        )}
        {data &&
          (data.rows.length === 0 ? (
            <Empty
              icon={IconRobot}
              title="No bots yet"
              help="blueprints#bots"
              action={
                <ButtonLink to={paths.blueprints} params={{ slug }} variant="default">
                  View blueprints
                </ButtonLink>
              }
            >
              A bot is created when you install a blueprint whose bindings name another product.
            </Empty>
          ) : (
            data.rows.map((bot) => <BotSection key={bot.id} slug={slug} bot={bot} admin={role === 'admin'} />)
          ))}
        <Products slug={slug} />
      </div>
    </>
  )
}

/**
 * Shows the products that this service knows, and which of them are activated for this workspace. Only the operator can
 * activate a product.
 */
function Products({ slug }: { slug: string }) {
  const query = useQuery(read('GET /w/:slug/products', { slug }))
  const { data } = query
  if (!data) return <QueryState of={query} waiting={null} />
  return (
    <Section title="Products" flush>
      {data.length === 0 ? (
        <p className="svc-note">
          No products are registered. The operator of this service can register one with{' '}
          <code>svc-server product add</code>. <Help about="blueprints#products" />
        </p>
      ) : (
        <>
          <ul className="svc-rows" aria-label="Products">
            {data.map(({ id, origin, activatedAt, bots }) => (
              <li key={id} className="bot-product">
                <div>
                  <strong>{id}</strong>{' '}
                  <span className="svc-quiet">
                    <Text>{origin}</Text>
                  </span>
                </div>
                <div>
                  {activatedAt === null ? (
                    <>
                      <Tone tone="plain">not activated</Tone>{' '}
                      <span className="svc-quiet">the operator can activate it with</span>{' '}
                      <code>
                        {operatorCommand} workspace activate {slug} {id}
                      </code>
                    </>
                  ) : (
                    <>
                      <Tone tone="good">activated</Tone>{' '}
                      <span className="svc-quiet">
                        <Time at={activatedAt} />, {count(bots, 'bot')}
                      </span>
                    </>
                  )}
                </div>
              </li>
            ))}
          </ul>
          {data.some(({ activatedAt }) => activatedAt === null) && (
            <p className="svc-note">The operator of this service activates products for a workspace.</p>
          )}
        </>
      )}
    </Section>
  )
}
