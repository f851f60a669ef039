//! What protects a path of the workspace, by each of the names that it has.

use std::path::PathBuf;
use std::sync::{Arc, PoisonError};

use crate::code::CallError;

use super::fold::fold;
use super::linked::{Linked, MAX_ENTRIES};
use super::protected::{
    GIT, HOST_FOLDER, IN_USE, by_folded_name, ends_in_place, leads_to_place, place_globs, place_globs_below,
};
use super::protected_names::Listing;
use super::{Access, Workspace, WorkspacePath, fault};

impl Workspace {
    /// Checks that the path, links already followed, is not protected by its name.
    ///
    /// # Errors
    /// `PERMISSION_DENIED`, saying what it is.
    pub fn check(&self, path: &WorkspacePath, access: Access) -> Result<(), CallError> {
        match self.protection(path, access) {
            Some(what) => Err(fault::protected(path, what)),
            None => Ok(()),
        }
    }

    /// What protects this path, links already followed, by its name or by one that a link at a protected name gives it;
    /// `None` where nothing does.
    #[must_use]
    pub fn protection(&self, path: &WorkspacePath, access: Access) -> Option<&'static str> {
        let parts = folded(path);
        by_folded_name(&parts, access)
            .or_else(|| self.in_use.covers(&parts).then_some(IN_USE))
            .or_else(|| self.links().names_of(&parts).find_map(|name| by_folded_name(&name, access)))
    }

    /// As [`Workspace::protection`], for a path in bytes as a program names it, relative to the root.
    #[must_use]
    pub fn protection_of_bytes(&self, path: &[u8], access: Access) -> Option<&'static str> {
        let text = String::from_utf8_lossy(path);
        let parts = text.split('/').filter(|part| !matches!(*part, "" | "."));
        self.protection(&WorkspacePath::from_parts(parts), access)
    }

    /// Whether commands may read a path: a repository, and what tools may read too.
    #[must_use]
    pub fn commands_may_read(&self, path: &WorkspacePath) -> bool {
        self.protection(path, Access::Read).is_none_or(|what| what == GIT)
    }

    /// Globs, over paths from the root, of what is protected from reading: for programs that can be told to leave paths
    /// out. Case does not matter in them. Their answers are to be checked all the same.
    #[must_use]
    pub fn protected_globs(&self) -> Vec<String> {
        let in_use = self.in_use.below_root().map(|path| globset::escape(&path));
        let mut globs: Vec<String> = place_globs().chain(in_use).collect();
        for (place, name) in self.links().aliases() {
            let place = globset::escape(&place.join("/"));
            if ends_in_place(name) {
                globs.push(place);
            } else {
                globs.extend(place_globs_below(name).map(|below| format!("{place}/{below}")));
            }
        }
        globs
    }

    /// Absolute real paths of what links at protected names lead to, where that is there.
    #[must_use]
    pub fn linked_places(&self) -> Vec<PathBuf> {
        let links = self.links();
        let paths = links.places().map(|place| self.root().join(place));
        // A spelling that passes further links has its end in the list as well.
        paths.filter(|path| path.canonicalize().is_ok_and(|real| real == *path)).collect()
    }

    /// Checks that a link may be moved away, deleted, or moved to this path: with another target, a name that leads to
    /// protected files would lead to others.
    pub(super) fn check_link(&self, path: &WorkspacePath) -> Result<(), CallError> {
        let links = self.links();
        if links.passes(&folded(path)) {
            Err(fault::protected(path, HOST_FOLDER))
        } else {
            self.check_new_name(path)
        }
    }

    /// Checks that what is moved to this path does not become a folder in which protected files are looked for.
    pub(super) fn check_new_name(&self, path: &WorkspacePath) -> Result<(), CallError> {
        let parts = folded(path);
        let leads = leads_to_place(&parts) || self.links().names_of(&parts).any(|name| leads_to_place(&name));
        if leads { Err(fault::protected(path, HOST_FOLDER)) } else { Ok(()) }
    }

    /// Looks anew for links at protected names. Reading goes by an earlier look; what is to change something looks first.
    pub(super) fn look_for_links(&self) -> Arc<Linked> {
        self.know(Linked::look(self))
    }

    /// As [`Workspace::look_for_links`], with what was read on the way.
    pub(super) fn look_for_links_listing(&self) -> (Arc<Linked>, Listing) {
        let mut listing = Listing::with_room(MAX_ENTRIES);
        let links = self.know(Linked::look_listing(self, &mut listing));
        (links, listing)
    }

    fn know(&self, links: Linked) -> Arc<Linked> {
        let links = Arc::new(links);
        *self.linked.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&links));
        links
    }

    fn links(&self) -> Arc<Linked> {
        let known = self.linked.read().unwrap_or_else(PoisonError::into_inner).clone();
        known.unwrap_or_else(|| self.look_for_links())
    }
}

fn folded(path: &WorkspacePath) -> Vec<String> {
    path.parts().map(fold).collect()
}
