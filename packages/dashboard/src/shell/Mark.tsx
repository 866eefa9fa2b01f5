import { Text } from '../ui/index.ts'

/** The product's logo, with its name or that of a workspace. */
export const Logo = ({ name = 'svc' }: { name?: string }) => (
  <span className="svc-mark">
    <svg width="22" height="22" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" fill="#3b44b8" />
      <path
        d="M5 17h6l3-8 5 15 3-7h5"
        fill="none"
        stroke="#fff"
        strokeWidth="2.6"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
    <Text cut>{name}</Text>
  </span>
)
