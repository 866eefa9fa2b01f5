export const SignInPage = () => null
