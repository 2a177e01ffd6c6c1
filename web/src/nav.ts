// The links to the sections show which section is being read.

let observer: IntersectionObserver | null = null;

/** Updates the links in nav, in plinth's format, after a newer report has added sections. */
export function linkSections(nav: HTMLElement, main: HTMLElement): void {
  const list = nav.querySelector("ul");
  if (!list) return;
  const known = new Map([...list.children].map((item) => [item.querySelector("a")?.hash, item]));
  let at = list.firstElementChild;
  for (const section of main.querySelectorAll(":scope > section[id]")) {
    const item = known.get(`#${section.id}`) ?? itemOf(section);
    if (item === at) at = at.nextElementSibling;
    else list.insertBefore(item, at); // moving an element would lose its focus
    known.delete(`#${section.id}`);
  }
  for (const item of known.values()) item.remove();
}

function itemOf(section: Element): HTMLLIElement {
  const link = document.createElement("a");
  link.href = `#${section.id}`;
  link.textContent = section.querySelector("h1, h2")?.textContent?.split(" ")[0] ?? "";
  const item = document.createElement("li");
  item.append(link);
  return item;
}

/** Marks the link of the section at the top of the window. Call it again after sections were replaced. */
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
