package kernel

import "slices"

// adopt makes members of newcomers that are below an owner's root, or are one.
func (s *processes) adopt() {
	first := len(s.members)
	for again := true; again; {
		again = false
		s.finder.news = slices.DeleteFunc(s.finder.news, func(n newcomer) bool {
			ours := s.byPID[n.parent] != nil || s.rooted(n.pid) != nil
			if ours {
				s.join(n)
				again = true // its children may have come before it in the list
			}
			return ours
		})
	}
	for _, n := range s.finder.news {
		s.finder.estrange(n)
	}
	for _, p := range s.members[first:] {
		p.old = s.isOld(p)
	}
}

func (s *processes) join(n newcomer) {
	p := newProcess(s.root, n.pid, s.held < s.most, s.buffer)
	p.parent, p.owner = n.parent, s.rooted(n.pid)
	if p.owner == nil {
		p.owner = s.byPID[n.parent].owner
	}
	if p.keep {
		s.held++
	}
	s.byPID[n.pid] = p
	s.members = append(s.members, p)
}

// rooted is the owner that a process is the root of.
func (s *processes) rooted(pid int) *owner {
	for _, o := range s.owners {
		if o.root == pid && !o.ended {
			return o
		}
	}
	return nil
}

// ownerOf is the owner whose root is nearest above a member. One that has lost its
// parent keeps its owner.
func (s *processes) ownerOf(p *process) *owner {
	for range s.members { // no circle, even if ids were used again
		if o := s.rooted(p.pid); o != nil {
			return o
		}
		parent := s.byPID[p.parent]
		if parent == nil || parent == p {
			break
		}
		p = parent
	}
	return p.owner
}

// isOld says whether a member that is new may have been there for long: what comes
// from a member that is known, or is new itself, may not.
func (s *processes) isOld(p *process) bool {
	for range s.members {
		parent := s.byPID[p.parent]
		if parent == nil {
			return true
		}
		if parent.known {
			return false
		}
		p = parent
	}
	return true
}

// reassign gives members to their owners anew: who is a child of plinth at first
// is a server once it is known to be one.
func (s *processes) reassign() {
	for _, p := range s.members {
		p.owner = s.ownerOf(p)
	}
}
