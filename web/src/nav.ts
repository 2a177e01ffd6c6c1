// The links to the sections say which of them is being read.

let observer: IntersectionObserver | null = null;

/** Marks the link of the section at the top of the window; again after a swap of sections. */
export function mountNav(nav: HTMLElement): void {
  observer?.disconnect();
  const links = [...nav.querySelectorAll<HTMLAnchorElement>("a[href^='#']")];
  const sections = links.flatMap((link) => document.getElementById(link.hash.slice(1)) ?? []);
  const seen = new Set<Element>();
  observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        if (isIntersecting) seen.add(target);
        else seen.delete(target);
      }
      mark(links, sections.find((section) => seen.has(section))?.id);
    },
    { rootMargin: "-15% 0px -60% 0px" },
  );
  for (const section of sections) observer.observe(section);
}

function mark(links: HTMLAnchorElement[], id: string | undefined): void {
  if (id === undefined) return;
  for (const link of links) {
    if (link.hash === `#${id}`) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
}
