import { useQuery } from '@tanstack/react-query'
import { read } from '../data/queries.ts'
import { count, ErrorNote, Help, Section, Text, Time, Tone } from '../ui/index.ts'

/**
 * Shows the products that this service knows, and which of them are activated for this workspace. Only the operator can
 * activate a product.
 */
export function Products({ slug }: { slug: string }) {
  const { data, error, refetch } = useQuery(read('GET /w/:slug/products', { slug }))
  if (error && !data) return <ErrorNote error={error} retry={refetch} />
  if (!data) return null
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
              <li key={id}>
                <strong>{id}</strong>{' '}
                <span className="svc-quiet">
                  <Text>{origin}</Text>
                </span>
                <div className="bot-product">
                  {activatedAt === null ? (
                    <>
                      <Tone tone="plain">not activated</Tone>{' '}
                      <span className="svc-quiet">the operator can activate it with</span>{' '}
                      <code>
                        npx svc-server workspace activate {slug} {id}
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
          <p className="svc-note">The operator of this service activates products for a workspace.</p>
        </>
      )}
    </Section>
  )
}
