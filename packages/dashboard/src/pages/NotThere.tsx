import { ButtonLink } from '../links.tsx'
import { paths } from '../paths.ts'
import { Empty, type EmptyProps } from '../ui/Empty.tsx'

const ways = {
  fleet: [paths.fleet, 'Back to agents'],
  updates: [paths.updates, 'Back to updates'],
  blueprints: [paths.blueprints, 'Back to blueprints'],
} as const

/** The thing of an address is not there; leads to the page that lists what is. */
export function NotThere({
  slug,
  back,
  ...empty
}: Omit<EmptyProps, 'action'> & { slug: string; back: keyof typeof ways }) {
  const [to, words] = ways[back]
  return (
    <Empty
      {...empty}
      action={
        <ButtonLink to={to} params={{ slug }} variant="default">
          {words}
        </ButtonLink>
      }
    />
  )
}
